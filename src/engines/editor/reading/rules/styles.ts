import { amountAt, takeAmounts } from '../amounts.js'
import { take } from '../clause.js'
import { type Placed, placed, type Rule } from '../rule.js'

/** Styles by what people call them; the names are those of the styles. Names that others are part of come first. */
const styles: [string, string][] = [
  ['watercolor', 'water ?colou?rs?(?: painting)?|aquarelle'],
  ['impressionist', 'impressionis(?:m|t|tic)(?: oil)?(?: painting)?|monet|renoir'],
  ['cubist', 'cubis(?:m|t)|picasso'],
  ['renaissance', 'renaissance|rembrandt|old master|baroque'],
  [
    'oil-painting',
    'oil[ -]?paint(?:ing|ed|s)?|oil on canvas|oils|van gogh|(?<=(?:like|into|as) (?:an? )?)(?:classical |artistic )?painting',
  ],
  [
    'line-art',
    'line[ -]?(?:art|drawing)|ink (?:drawing|outline)|outline drawing|coloring (?:page|book)(?: page)?|ink sketch',
  ],
  ['charcoal', 'charcoal(?: (?:drawing|sketch))?'],
  ['architectural', 'architect(?:ural|s?)(?: (?:drawing|sketch|rendering))?'],
  [
    'pencil-sketch',
    'pencil(?: sketch| drawing)?|sketch(?:ed)?(?: drawing)?|graphite(?: drawing)?|hand[ -]drawn(?: sketch)?|drawing(?= ?$)',
  ],
  ['anime', 'anime|manga'],
  ['comic-book', 'comic(?:s)?(?:[ -]?book)?|cartoon(?:y|ish|if(?:y|ied)|ize)?|graphic novel|cel[ -]shad(?:ed|ing)'],
  ['pop-art', '(?:andy )?warhol(?: style)?(?: pop[ -]?art)?|pop[ -]?art|lichtenstein'],
  ['legacy-video-game', '(?:old|retro|legacy|vintage|classic) (?:video[ -]?|computer )?game'],
  ['pixel-art', '(?:8|16)[ -]?bit(?: pixel[ -]?art| game)?|pixel[ -]?art'],
  ['stained-glass', 'stained[ -]?glass(?: window)?'],
  ['low-poly', 'low[ -]?poly(?:gon(?:al)?)?'],
  ['pointillism', 'pointillis(?:m|t|tic)|dots? painting|seurat'],
  ['woodcut', 'wood[ -]?cut|wood[ -]?block|lino[ -]?cut|engraving|engraved'],
  ['neon-noir', 'neon[ -]?noir|cyber ?punk|neon (?:lights|look|style)|synthwave|vaporwave'],
  ['film-noir', 'film[ -]?noir|noir'],
  [
    'analog-film',
    'analog(?:ue)?[ -]?(?:film|photo)|35 ?mm(?: film)?|kodak|film (?:photo|look|camera|stock)|shot on film|lomo(?:graphy)?',
  ],
  ['paper-cut', 'paper[ -]?cut(?:[ -]?out)?|cut[ -]paper|papercraft'],
  ['origami', 'origami|folded paper'],
  ['tilt-shift', 'tilt[ -]?shift|miniature(?: model)?|toy (?:town|model)'],
  ['blueprint', 'blue ?print|technical drawing'],
  ['art-deco', 'art[ -]?deco'],
  ['craft-clay', 'clay(?:mation)?|plasticine|play-?doh'],
  ['3d-model', '3d[ -](?:model|render(?:ing|ed)?)'],
  ['surrealist', 'surreal(?:ism|ist|istic)?|dali'],
  ['abstract', 'abstract(?: art| painting)?'],
  ['psychedelic', 'psychedelic|trippy'],
  ['fantasy-art', 'fantasy(?: art| painting)?'],
  ['digital-art', 'digital (?:art|painting)'],
  ['graffiti', 'graffiti|street[ -]?art|spray[ -]?paint(?:ed|ing)?'],
  ['isometric-style', 'isometric'],
  ['minimalist', 'minimal(?:ist|istic|ism)?'],
  ['silhouette', 'silhouette'],
  ['long-exposure', 'long[ -]?exposure'],
  ['typography', 'typograph(?:y|ic)|made (?:out )?of (?:letters|words|text)'],
  ['texture', 'knit(?:ted)?|woven|wool(?:en)?'],
  ['hyperrealism', 'hyper[ -]?real(?:ism|istic)?'],
  ['food-photography', 'food photograph(?:y)?'],
]

const suffix =
  '(?:[ -]?(?:style|effect|filter|look|painting|drawing|sketch|illustration|art|artwork|picture|image|version|portrait|print|poster|character|scene|like))*'
const patterns = styles.map(
  ([id, words]) =>
    [
      id,
      new RegExp(`(?:\\b(?:into|as|like|in the style of|in|by) )?(?:\\b(?:an?|the) )?\\b(?:${words})\\b${suffix}\\b`),
    ] as const,
)
/** Verbs that styles have of their own. */
const styling =
  /\b(?:draw|redraw|paint|repaint|sketch|reimagine|recreate|styli[sz]e|shot)\b(?: (?:it|this|me|us|him|her|them|the (?:image|photo|picture))\b)?|\b(?:turn|make|transform|convert) (?:me|us|him|her|them)\b|\bout of (?:it|this|the (?:image|photo|picture))\b/

/** The models have these, and the general one can do the others as well. */
export const isStyleId = (id: string): boolean => styles.some(([own]) => own === id)
export const mentionsStyle = (text: string): boolean => patterns.some(([, pattern]) => pattern.test(text))

/** Styles in which the picture is rendered. */
export const readStyles: Rule = (clause) => {
  const steps: Placed[] = []
  for (const [id, pattern] of patterns) {
    const found = take(clause, pattern)
    if (!found) continue
    while (take(clause, pattern));
    while (take(clause, styling));
    const amount = amountAt(takeAmounts(clause), found.at, [])
    const strength = amount.part ?? (amount.strength === 1 ? undefined : Math.min(1, 0.65 * amount.strength))
    steps.push(placed(found.at, { do: 'style', id, strength }))
  }
  return steps
}

const list = (text: string) => text.trim().split(/\s+/)

/** Words that ask for nothing by themselves. */
const filler = new Set(
  list(`
  a an the this that these those it its it's is are was be been being of to in on at for from by with into onto as so and or
  my your our their his her me i i'd i'm you we he she they him them us please pls kindly thanks thank can could would will
  shall should want wants need needs like love wish hope just only also too but more most bit quite really very much some any all
  whole entire full overall everything anything something whatever else there here now then again finally first next after before while
  picture pictures image images photo photos photograph photographs pic pics shot shots snapshot scan file jpg png
  portrait selfie input original source base given attached uploaded provided scene canvas result output version copy final
  take takes taking taken shift make makes making give gives giving apply applying add adding use using turn turning set setting change changing convert
  converting transform transforming adjust adjusting edit editing put do doing get getting let lets let's have having create
  creating produce render rendering generate show look looks looking feel feeling appear seem become bring try go keep keeping
  filter filters effect effects style styled stylized mode tone tones touch treatment mood vibe vibes atmosphere aesthetic
  finish grading grade process processing adjustment adjustments setting settings preset
  nice nicer good great better best beautiful beautifully pretty cool-looking lovely amazing awesome perfect perfectly
  professional professionally quality high hq hd resolution highly detailed ultra realistic photorealistic natural naturally
  clean proper properly correct correctly well little kind sort thing things stuff way bit lot lots fully completely
  color colors colored coloring hue hues light lighting level levels amount value strength intensity percent degree degrees
  increase decrease raise lower boost reduce enhance up down increased reduced
  which where when who what how own new same together between over across around inside within through onto
  across toward towards side area part region section portion whole object
  mind think believe guess dslr camera surround automatically whoever sure notch step dear hi hello hey assistant ai editor editing edited tool program
  `),
)

/** Words that readers look for, when they may be misspelled. */
const keyWords = list(`
  brighten brighter brightness bright darken darker contrast exposure gamma highlights shadows saturate saturated saturation
  desaturate desaturated vibrance vibrant colorful temperature warmer cooler invert inverted negative duotone monochrome
  greyscale sepia sharpen sharper sharpness blur blurry blurred pixelate pixelated mosaic rotate rotated mirror mirrored
  resize scale shrink enlarge square border frame rounded corners polaroid shadow vignette grain grainy
  remove erase delete background backdrop transparent replace caption watermark text picture overlay collage
  opacity opaque blend vintage golden sunset night cinematic dramatic denoise noise scratches restore restoration faded
  watercolor painting pencil sketch charcoal cartoon comic pixel stained mosaic pointillism woodcut blueprint
  clarity levels posterize threshold horizontal horizontally vertical vertically clockwise counterclockwise degrees
  landscape portrait bottom center middle right subject foreground gradient second image
  black white increase decrease reduce boost
`)

/** Real words that lie one letter beside one of them. */
const otherWords = new Set(
  list(`
  flame flames fame frames shadowy boarder shape shapes shaped share shares harp scare stale whale snail letter
  square squares squire order borders bored cropped crow crows grape rain train brain gain grin gains stain stained noses
  nose poise voice light might sight fight tight eight knight nights invent invest gamma game gamer mirrors minor motor
  tent test next texts texture sphere painting paintings painter pains pencils stencil skate stretch comics conic pixels
  scales scare school shrine shrink blurs blurb bluer bright blight flight fright bride enlarged cartoons cartoony
  blond blind blended blends bland blank golden olden garden second seconds seconded levels level bevel rights
  lower slower power tower flower shower brightly dark barker parker bottle button bottoms replaced replaces removed removes
  block bleak blacks write wrote whites whale waste decreased increases decreases boosts boast
  insert inserts inserted erased erases rotates frame's sharp sharply subjects moonlight sunlight daylight negatives scratch opaque
  `),
)

const known = new Set([...filler, ...keyWords, ...otherWords])

/** Every word with one letter less, to find words that differ by one letter without comparing with all of them. */
const lessOne = (word: string) => [
  word,
  ...Array.from(word, (_, index) => word.slice(0, index) + word.slice(index + 1)),
]

const nearKeyWords = new Map<string, Set<string>>()
for (const word of keyWords)
  for (const shorter of lessOne(word)) nearKeyWords.set(shorter, (nearKeyWords.get(shorter) ?? new Set()).add(word))

const isOneLetterApart = (first: string, second: string): boolean => {
  if (Math.abs(first.length - second.length) > 1) return false
  let start = 0
  while (start < first.length && first[start] === second[start]) start++
  let end = 0
  const shorter = Math.min(first.length, second.length)
  while (end < shorter - start && first[first.length - 1 - end] === second[second.length - 1 - end]) end++
  const middle = first.slice(start, first.length - end)
  const other = second.slice(start, second.length - end)
  const isSwapped = middle.length === 2 && other.length === 2 && middle[0] === other[1] && middle[1] === other[0]
  return isSwapped || (middle.length <= 1 && other.length <= 1)
}

/** A word with one wrong letter becomes the key word that it was meant to be. First letters are rarely wrong. */
export const corrected = (word: string): string => {
  if (word.length < 5 || word.length > 18 || known.has(word)) return word
  const near = new Set(lessOne(word).flatMap((shorter) => [...(nearKeyWords.get(shorter) ?? [])]))
  const meant = [...near].filter((key) => key.length >= 5 && key[0] === word[0] && isOneLetterApart(word, key))
  return meant.length === 1 && !isPlural(word, meant[0] as string) ? (meant[0] as string) : word
}

const isPlural = (word: string, key: string) => word === `${key}s` || key === `${word}s`

/** The words of a clause that were neither understood nor can be passed over. */
export const strangersIn = (rest: string): string[] =>
  (rest.match(/[\p{L}\p{N}#%⟦][\p{L}\p{N}'#%.⟦⟧-]*/gu) ?? []).filter((word) => !filler.has(word.replace(/[.'-]+$/, '')))

import type { Operation } from '../../operation.js'
import { type Amount, partOf, strengthOf } from '../amounts.js'
import { black } from '../colours.js'

/** `sign` is 1 for more and -1 for less of what the word says. */
export type Make = (amount: Amount, sign: number) => Operation | undefined

const bounded = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
/** Sliders in both directions: less than nothing is nothing. */
const slide = (amount: Amount, sign: number, usually: number) =>
  amount.isExact ? bounded(partOf(amount, usually), -1, 4) : bounded(sign * partOf(amount, usually), -1, 4)

const brightness: Make = (amount, sign) => ({
  do: 'brightness',
  amount: amount.times !== undefined && sign < 0 && amount.times > 1 ? 1 / amount.times - 1 : slide(amount, sign, 0.2),
})
const contrast: Make = (amount, sign) => ({ do: 'contrast', amount: slide(amount, sign, 0.25) })
const saturation: Make = (amount, sign) => ({ do: 'saturation', amount: slide(amount, sign, 0.35) })
const temperature: Make = (amount, sign) => ({
  do: 'temperature',
  amount: bounded(sign * strengthOf(amount, 0.35), -1, 1),
})
const highlights: Make = (amount, sign) => ({
  do: 'highlights',
  amount: bounded(sign * strengthOf(amount, 0.4), -1, 1),
})
const shadows: Make = (amount, sign) => ({ do: 'shadows', amount: bounded(sign * strengthOf(amount, 0.4), -1, 1) })
const only =
  (operation: Operation): Make =>
  (_amount, sign) =>
    sign > 0 ? operation : undefined
const less =
  (make: Make): Make =>
  (amount, sign) =>
    make(amount, -sign)

/** Somebody complains: "the photo is quite dark". */
const is =
  "\\b(?:is|it's|are|was|looks|seems|appears|came out|turned out|(?<=colors |they )(?:look|seem))(?: (?:a (?:bit|little|tad)|quite|very|rather|pretty|really|so|somewhat|slightly|too|all|still))*"
const complaint = (words: string) => new RegExp(`${is} (?:${words})\\b`)

/** Words that say the direction themselves; only "less" turns them round. */
export const adjectives: [RegExp, Make][] = [
  [
    complaint('blurry|blurred|out of focus|unsharp|fuzzy|soft'),
    (amount) => ({ do: 'deblur', amount: strengthOf(amount, 1, 3) }),
  ],
  [complaint('noisy|grainy'), (amount) => ({ do: 'denoise', amount: strengthOf(amount, 1, 3) })],
  [complaint('dark|dim'), (amount) => brightness(amount, 1)],
  [
    complaint('dull|flat|pale|washed[ -]out|bland|lifeless'),
    (amount) => ({ do: 'vibrance', amount: strengthOf(amount, 0.5) }),
  ],
  [
    /\b(?:brighten|lift|open(?: up)?|lighten|raise|boost|brighter|lighter)(?: up)? (?:the )?(?:shadows|dark (?:areas|parts)|blacks)\b/,
    (amount) => shadows(amount, 1),
  ],
  [
    /\b(?:darken|deepen|crush|darker|deeper)(?: the)? (?:shadows|blacks|dark (?:areas|parts))\b/,
    (amount) => shadows(amount, -1),
  ],
  [
    /\b(?:brighten|lighten|boost|raise|brighter)(?: the)? (?:highlights|whites|bright (?:areas|parts))\b/,
    (amount) => highlights(amount, 1),
  ],
  [
    /\b(?:darken|recover|tame|pull down|tone down|bring down|darker)(?: the)? (?:highlights|whites|bright (?:areas|parts))\b/,
    (amount) => highlights(amount, -1),
  ],
  [/\bunder-?exposed\b|\btoo dark\b/, (amount) => brightness(amount, 1)],
  [/\bover-?exposed\b|\btoo (?:bright|light)\b|\bblown out\b/, (amount) => brightness(amount, -1)],
  [/\btoo (?:warm|yellow|orange)\b/, (amount) => temperature(amount, -1)],
  [/\btoo (?:cold|cool|blue)\b/, (amount) => temperature(amount, 1)],
  [/\btoo (?:saturated|colorful|vivid)\b/, (amount) => saturation(amount, -1)],
  [/\btoo (?:dull|flat|pale|washed out)\b/, (amount) => ({ do: 'vibrance', amount: strengthOf(amount, 0.5) })],
  [/\btoo (?:soft|blurry)\b/, (amount) => ({ do: 'sharpen', amount: strengthOf(amount, 1, 4) })],
  [/\btoo (?:noisy|grainy)\b/, (amount) => ({ do: 'denoise', amount: strengthOf(amount, 1, 3) })],
  [/\b(?:pure blackwhite|(?:pure )?(?:blackwhite )?threshold(?:ed)?|bilevel|bitmap)\b/, only({ do: 'threshold' })],
  [
    /\b(?:warm |classic |brown )*sepia(?:[ -]ton(?:ed?|ing))?\b/,
    (amount, sign) => (sign > 0 ? { do: 'sepia', amount: strengthOf(amount, 1) } : undefined),
  ],
  [
    /\b(?:blackwhite|greyscale|monochrome|monochromatic|bw|b-w|colorless|decolori[sz]e|achromatic|noir et blanc|schwarz ?wei(?:ß|ss)|blanco y negro)\b/,
    only({ do: 'grey' }),
  ],
  [
    /\bdesaturat(?:e|ed|ing|ion)\b/,
    (amount, sign) =>
      amount.part === undefined && amount.times === undefined && amount.strength > 1.2
        ? { do: 'grey' }
        : { do: 'saturation', amount: slide(amount, -sign, 0.4) },
  ],
  [/\b(?:over-?)?saturat(?:e|ed|ing)\b|\bcolorful\b/, saturation],
  [
    /\b(?:vivid|vibrant|punchy|punchier|lively|livelier|pop|rich|richer|make the colors pop)\b(?: more)?(?: colors?)?/,
    (amount, sign) => ({ do: 'vibrance', amount: bounded(sign * strengthOf(amount, 0.5, 2), -1, 2) }),
  ],
  [/\b(?:mute|muted|subdued|duller|washed[ -]out|pale|paler)\b(?: colors?)?/, less(saturation)],
  [/\b(?:brighten(?:ed|ing)?|brighter|bright|lighten(?:ed|ing)?|lighter|luminous)\b/, brightness],
  [/\b(?:darken(?:ed|ing)?|darker|dark|dimmer|dim|dimmed)\b/, less(brightness)],
  [/\b(?:warmer|warm|warmed|warm up|warming|co[sz](?:y|ier))\b/, temperature],
  [/\b(?:cooler|colder|cool|cold|cool down|chilly|icy)\b/, less(temperature)],
  [/\b(?:contrasty|contrastier|high[ -]contrast)\b/, contrast],
  [/\blow[ -]contrast\b|\bflatter\b/, less(contrast)],
  [
    /\b(?:sharpen(?:ed|ing)?|sharper|sharp|crisp|crisper)\b/,
    (amount, sign) =>
      sign > 0 ? { do: 'sharpen', amount: strengthOf(amount, 1, 4) } : { do: 'blur', amount: 0.25, kind: 'soft' },
  ],
  [
    /\b(?:motion[ -]?blur(?:red)?|directional blur)\b/,
    (amount) => ({ do: 'blur', amount: strengthOf(amount, 1, 3), kind: 'motion' }),
  ],
  [
    /\b(?:zoom|radial)[ -]?blur(?:red)?\b/,
    (amount) => ({ do: 'blur', amount: strengthOf(amount, 1, 3), kind: 'zoom' }),
  ],
  [
    /\b(?:gaussian )?(?:blur(?:red|ry|rier|ring)?|out of focus|unfocus|defocus(?:ed)?)\b/,
    (amount, sign) =>
      sign > 0 ? { do: 'blur', amount: strengthOf(amount, 1, 3), kind: 'soft' } : { do: 'deblur', amount: 1 },
  ],
  [
    /\b(?:soften(?:ed)?|softer|soft focus)\b/,
    (amount) => ({ do: 'blur', amount: strengthOf(amount, 0.3, 1), kind: 'soft' }),
  ],
  [
    /\b(?:pixelat(?:e|ed|ion|ing)|mosaic|censor(?:ed)?|anonymi[sz]e)\b/,
    (amount, sign) => (sign > 0 ? { do: 'pixelate', amount: strengthOf(amount, 1, 4) } : undefined),
  ],
  [
    /\b(?:de-?noise|noise reduction|reduce (?:the )?(?:noise|grain)|less (?:noise|grain|noisy|grainy)|smooth(?:en|er)?)\b/,
    (amount) => ({ do: 'denoise', amount: strengthOf(amount, 1, 3) }),
  ],
  [
    /\b(?:de-?blur|unblur|less blurry|reduce (?:the )?blur|refocus)\b/,
    (amount) => ({ do: 'deblur', amount: strengthOf(amount, 1, 3) }),
  ],
  [/\b(?:invert(?:ed)?(?: the)?(?: colors?)?|negative(?: film)?|x-?ray)\b/, only({ do: 'invert' })],
  [
    /\b(?:vignett(?:e|ing|ed)|dark(?:en(?:ed)?)? (?:the )?(?:edges|corners)|white vignette)\b/,
    (amount, sign) => (sign > 0 ? { do: 'vignette', amount: strengthOf(amount, 0.55, 1), colour: black } : undefined),
  ],
  [
    /\b(?:(?:film )?grain(?:y)?|noisy|add (?:some )?(?:film )?(?:noise|grain))\b/,
    (amount, sign) => (sign > 0 ? { do: 'grain', amount: strengthOf(amount, 0.35) } : { do: 'denoise', amount: 1 }),
  ],
  [
    /\b(?:light leaks?|lens flares?|sun flares?|lens leak)\b/,
    (amount, sign) => (sign > 0 ? { do: 'lightLeak', amount: strengthOf(amount, 0.7) } : undefined),
  ],
  [
    /\b(?:(?:dreamy |soft |ethereal |orton |warm )*glow(?:ing)?|dreamy|orton|bloom|ethereal)\b/,
    (amount, sign) => (sign > 0 ? { do: 'glow', amount: strengthOf(amount, 0.7) } : undefined),
  ],
  [
    /\b(?:hdr|local contrast|high dynamic range)\b(?:-like| like| look| effect)?/,
    (amount) => ({ do: 'localContrast', amount: strengthOf(amount, 0.9, 2) }),
  ],
  [
    /\b(?:de-?haze|dehazed|clear up the haze|clearer|more clear)\b/,
    (amount) => ({ do: 'localContrast', amount: strengthOf(amount, 0.6, 2) }),
  ],
  [
    /\b(?:fade[ds]?|matte)\b(?! colors?| photo)(?: (?:blacks|shadows|finish))?/,
    (amount, sign) =>
      sign > 0 ? { do: 'fade', amount: strengthOf(amount, 0.5) } : { do: 'levels', isPerChannel: true },
  ],
  [
    /\b(?:auto(?:matic(?:ally)?)?[ -]?(?:correct |adjust |fix )?(?:the )?(?:levels|contrast|tone|exposure|brightness)|adjust (?:the )?levels|(?:fix|correct|balance|improve) (?:the )?(?:exposure|light(?:ing)?|brightness|levels|contrast)|normali[sz]e|equali[sz]e|stretch (?:the )?contrast)\b/,
    only({ do: 'levels', isPerChannel: false }),
  ],
  [
    /\b(?:auto(?:matic)?[ -]?(?:colors?|white ?balance)|white ?balanc(?:e|ed|ing)|color[ -]?correct(?:ed|ion|ing)?|(?:fix|correct|neutralize|balance|adjust) (?:the )?(?:white balance|color ?cast|color balance|colors?))\b/,
    only({ do: 'levels', isPerChannel: true }),
  ],
  [
    /\bposteri[sz](?:e|ed|ation)\b/,
    ({ part }, sign) => {
      const steps = Math.round((part ?? 0.04) * 100)
      return sign > 0 && steps >= 2 && steps <= 32 ? { do: 'posterize', steps } : undefined
    },
  ],
]

/**
 * Words that need a direction: "increase the contrast", "less noise"; alone, they mean more. Weak ones say nothing beside
 * other words.
 */
export const nouns: [RegExp, Make, isWeak?: true][] = [
  [/\b(?:brightness|luminance|luminosity)\b/, brightness],
  [/\bcontrasts?\b/, contrast],
  [/\b(?:saturation|color intensity|chroma)\b/, saturation],
  [
    /\bvibranc[ey]\b/,
    (amount, sign) => ({ do: 'vibrance', amount: bounded(sign * strengthOf(amount, 0.5, 2), -1, 2) }),
  ],
  [
    /\b(?:exposure|ev)\b/,
    (amount, sign) => ({
      do: 'exposure',
      stops: bounded(
        sign *
          (amount.times ??
            (amount.part !== undefined
              ? Math.abs(amount.part) < 0.06
                ? Math.abs(amount.part) * 100
                : Math.abs(amount.part) * 2
              : 0.6 * amount.strength)),
        -5,
        5,
      ),
    }),
  ],
  [
    /\bgamma\b(?: correction| value)?/,
    (amount, sign) => ({
      do: 'gamma',
      gamma: bounded(
        amount.times ??
          (amount.part !== undefined && amount.part >= 0.005 && amount.part <= 0.05
            ? amount.part * 100
            : 1 + sign * 0.25 * amount.strength),
        0.1,
        5,
      ),
    }),
  ],
  [/\b(?:highlights|whites)\b/, highlights],
  [/\b(?:shadows|blacks|dark (?:areas|parts))\b/, shadows],
  [/\b(?:warmth|color temperature|temperature)\b/, temperature],
  [
    /\bsharpness\b/,
    (amount, sign) =>
      sign > 0 ? { do: 'sharpen', amount: strengthOf(amount, 1, 4) } : { do: 'blur', amount: 0.25, kind: 'soft' },
  ],
  [
    /\b(?:clarity|definition|texture|details?|structure)\b/,
    (amount, sign) =>
      sign > 0
        ? { do: 'localContrast', amount: strengthOf(amount, 0.6, 2) }
        : { do: 'blur', amount: 0.2, kind: 'soft' },
    true,
  ],
  [
    /\bnoise\b/,
    (amount, sign) =>
      sign < 0
        ? { do: 'denoise', amount: strengthOf(amount, 1, 3) }
        : { do: 'grain', amount: strengthOf(amount, 0.35) },
  ],
  [/\bcolors\b/, (amount, sign) => ({ do: 'saturation', amount: slide(amount, sign, 0.3) }), true],
]

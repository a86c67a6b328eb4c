import { createRequire } from 'node:module'

/** Manrope, by the Manrope Project Authors under the SIL Open Font License: Latin, Greek and Cyrillic. */
export const fontFamily = 'Manrope'

/** The files of the font in two weights, 500 and 800, for a renderer that must not look at what the machine has. */
export const fontFiles = (): string[] => {
  const require = createRequire(import.meta.url)
  return ['500Medium/Manrope_500Medium.ttf', '800ExtraBold/Manrope_800ExtraBold.ttf'].map((file) =>
    require.resolve(`@expo-google-fonts/manrope/${file}`),
  )
}

const drawable = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{P}\p{Zs}\p{Sc}+<=>^`|~]/u

/** The text without what the font has no shapes for. */
export const drawableText = (text: string): string =>
  Array.from(text.normalize('NFC'))
    .filter((character) => drawable.test(character))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

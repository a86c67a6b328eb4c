import { createHash } from 'node:crypto'

/** How a picture looks as a whole, each from 0 to 1. */
export type Look = { lightness: number; contrast: number; saturation: number }

/** What pictures gain from when the prompt says nothing about it. The first words of each are what is looked for. */
const wishes: { isSaid: RegExp; words: readonly string[] }[] = [
  {
    isSaid: /\b(day|night|sunrise|sunset|dawn|dusk|noon|morning|evening|golden hour|light|lit|dark|glow\w*)\b/i,
    words: ['at golden hour', 'at sunrise', 'on a clear bright day', 'in soft evening light'],
  },
  {
    isSaid: /\b(sky|beach|forest|mountain\w*|city|street|room|sea|ocean|field|desert|space|garden|background)\b/i,
    words: ['in a wide field with mountains in the background', 'in a garden', 'by the sea', 'in a quiet forest'],
  },
  {
    isSaid: /\b(calm|cheerful|gloomy|dramatic|happy|sad|mood\w*|peaceful|vivid|serene)\b/i,
    words: ['cheerful mood', 'calm mood', 'dramatic mood', 'peaceful mood'],
  },
]

/** The same prompt is always improved in the same way. */
const choose = (prompt: string, words: readonly string[], index: number): string => {
  const byte = createHash('sha256').update(prompt).digest()[index] as number
  return words[byte % words.length] as string
}

const withMore = (prompt: string, more: readonly string[]): string | undefined =>
  more.length === 0 ? undefined : [withoutEnd(prompt.trim()), ...more].join(', ')

/** Without the marks at the end. A pattern would take its time with prompts that are full of them. */
const withoutEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && ' \t\n,.;'.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** Says more about light, place and mood where a prompt leaves them open. Undefined when it leaves nothing open. */
export const enhanceScene = (prompt: string): string | undefined =>
  withMore(
    prompt,
    wishes.flatMap(({ isSaid, words }, index) => (isSaid.test(prompt) ? [] : choose(prompt, words, index))),
  )

const isAboutTone =
  /bright|dark|shadow|light|expos|contrast|satur|vivid|vibran|colou?r|grey|gray|black|white|sepia|tone/i

/** Adds what the picture itself asks for: light where it is dark, contrast where it is flat. */
export const enhanceEdit = (prompt: string, { lightness, contrast, saturation }: Look): string | undefined => {
  if (isAboutTone.test(prompt)) return undefined
  return withMore(prompt, [
    ...(lightness < 0.35 ? ['brighten it slightly'] : []),
    ...(contrast < 0.15 ? ['increase the contrast slightly'] : []),
    ...(saturation < 0.25 ? ['make the colors slightly more vivid'] : []),
  ])
}

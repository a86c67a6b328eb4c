import { readPrompt } from '../reading/read-prompt.js'
import { splitPrompt } from '../reading/tokens.js'
import { createJudge, type Judge } from './judge.js'
import { type Choice, createNouns, type Noun, type Nouns } from './nouns.js'
import { createReadKin, isReadable, type Met, type ReadKin } from './read-kin.js'

/** More words of a prompt are not judged. */
const judgedMax = 4
/** How much better something else has to fit than what the word usually means. */
const usualAhead = 0.06
const companyWordsMin = 2
const companyWordsMax = 60

const isAmbiguous = ({ choices: [first, ...others] }: Noun) =>
  others.some(({ meaning }) => JSON.stringify(meaning) !== JSON.stringify(first.meaning))

type Needs = { nouns: Nouns; judge: Judge }

/** Reads the prompt once, and judges nouns that may be several things by the words that they stand with. */
export const judgeKin = async (prompt: string, { nouns, judge }: Needs): Promise<ReadKin> => {
  const met = new Map<string, Met & { start: number }>()
  readPrompt(prompt, createReadKin({ nouns, onMet: (one) => void (met.has(one.phrase) || met.set(one.phrase, one)) }))
  const ambiguous = [...met.values()].filter(({ noun }) => isAmbiguous(noun)).slice(0, judgedMax)

  const { tokens } = splitPrompt(prompt)
  const judged = new Map<string, Choice>()
  for (const { noun, phrase, start, length } of ambiguous) {
    const company = tokens.flatMap((token, at) =>
      token.kind === 'word' && (at < start || at >= start + length) ? [token.text] : [],
    )
    if (company.filter(isReadable).length < companyWordsMin) continue
    const glosses = noun.choices.map(({ gloss }) => gloss.replace(/;? ".*/, ''))
    const likenesses = await judge(company.slice(0, companyWordsMax).join(' '), glosses)
    const scores = likenesses.map((likeness, at) => likeness + (at === 0 ? usualAhead : 0))
    judged.set(phrase, noun.choices[scores.indexOf(Math.max(...scores))] ?? noun.choices[0])
  }
  return createReadKin({ nouns, judged })
}

let needs: Needs | undefined

/** The reader for a prompt, with the dictionary and the model of this thread, both opened when they are needed first. */
export const prepareKin = (prompt: string): Promise<ReadKin> => {
  needs ??= { nouns: createNouns(), judge: createJudge() }
  return judgeKin(prompt, needs)
}

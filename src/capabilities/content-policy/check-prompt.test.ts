import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readBuiltin } from '#catalog/builtin.js'
import { resolvePolicies } from '#catalog/content-policies.js'
import { Failure } from '#contract/errors.js'
import { breaksPolicy } from './breaks-policy.js'
import { checkPrompt } from './check-prompt.js'
import { blocked } from './corpus/blocked.js'
import { passing } from './corpus/passing.js'
import { readWords, type Word } from './read-words.js'
import { createLexicon } from './word-lists.js'

const findPolicies = resolvePolicies(readBuiltin(), {})
const model = (...names: string[]) => ({ id: 'painter', contentPolicies: findPolicies(names) })
const strict = model('sexual', 'violence')
/** One policy alone, also where `minors` would refuse as well. */
const only = (name: string) => ({
  id: 'painter',
  contentPolicies: findPolicies([name]).filter((it) => it.name === name),
})

const refusal = (asked: Parameters<typeof checkPrompt>[0], ...prompts: string[]): Failure | undefined => {
  try {
    checkPrompt(asked, prompts)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.failure, 'contentPolicyViolation')
    return error
  }
}

for (const [policy, prompts] of Object.entries(blocked)) {
  test(`${policy}: what must be refused is refused`, () => {
    assert.deepEqual(
      prompts.filter((prompt) => !refusal(only(policy), prompt)),
      [],
    )
  })
}

for (const [about, prompts] of Object.entries(passing)) {
  test(`${about}: what must pass does, with all policies`, () => {
    assert.deepEqual(
      prompts.filter((prompt) => refusal(strict, prompt)),
      [],
    )
  })
}

test('the corpus is large, and says nothing twice', () => {
  const [refused, fine] = [Object.values(blocked).flat(), Object.values(passing).flat()]
  assert.ok(refused.length >= 150 && fine.length >= 250, `${refused.length}, ${fine.length}`)
  assert.equal(new Set([...refused, ...fine]).size, refused.length + fine.length)
})

test('a refusal is 422, names model and policy, carries the header, and does not repeat the prompt', () => {
  const failure = refusal(strict, 'a naked woman by the lake')
  assert.ok(failure)
  assert.deepEqual([failure.status, failure.code], [422, 'CONTENT_POLICY_VIOLATION'])
  assert.equal(
    failure.message,
    "This breaks the content policy of the model 'painter', which does not make explicit sexual imagery; nothing is charged",
  )
  assert.deepEqual(failure.headers, { 'x-svc-is-content-violation': 'true' })
})

test('a model without policies makes everything, except what no model makes', () => {
  assert.equal(refusal(model(), 'a naked woman and a beheaded man'), undefined)
  assert.match(refusal(model(), 'a naked child')?.message ?? '', /sexual content about minors/)
})

test('a wish that is spread over several fields is one wish', () => {
  assert.ok(refusal(model(), 'a child in a garden', 'nude'))
  assert.equal(refusal(strict), undefined)
  assert.equal(refusal(strict, '', ''), undefined)
})

test('only what is near counts together', () => {
  const far = 'The harbour is quiet and the boats are waiting for the morning. '.repeat(10)
  assert.equal(refusal(model(), `A child plays. ${far} A nude painting.`), undefined)
  assert.ok(refusal(model(), `A child plays. The harbour is quiet. A nude painting.`))
})

test('a negation takes back what follows it, and no more', () => {
  for (const fine of [
    'no nudity',
    'without any visible nudity',
    'not naked',
    'no blood or gore',
    'remove all the blood',
  ])
    assert.equal(refusal(strict, fine), undefined, fine)
  for (const bad of ['no hat, naked', 'remove the background, nude', 'no naked man but a nude woman', 'not only naked'])
    assert.ok(refusal(strict, bad), bad)
})

test('letters taken apart never excuse: what stands around them cannot be told from them', () => {
  assert.ok(refusal(strict, 'p i a n o n u d e'))
})

// ---- evasion ----

const pick = <T>(...values: T[]) => fc.constantFrom(...values)
const eachLetter = (prompt: string, change: (letter: string, index: number) => string) =>
  [...prompt].map((letter, index) => change(letter, index)).join('')

const signs: Record<string, string[]> = {
  a: ['4', '@'],
  e: ['3'],
  i: ['1', '!'],
  l: ['1'],
  o: ['0'],
  s: ['5', '$'],
  t: ['7'],
}

/** Each takes a prompt and numbers without end, and hides the prompt as people do. */
const disguises: Record<string, (prompt: string, next: () => number) => string> = {
  'upper and lower case': (prompt, next) =>
    eachLetter(prompt, (letter) => (next() % 2 ? letter.toUpperCase() : letter)),
  'zero-width characters': (prompt, next) =>
    eachLetter(prompt, (letter) => letter + (['', '\u200b', '\u200d', '\ufeff', '\u00ad', '\u2060'][next() % 6] ?? '')),
  diacritics: (prompt, next) =>
    eachLetter(prompt, (letter) =>
      /[a-z]/.test(letter) ? letter + (['', '\u0308', '\u0301'][next() % 3] ?? '') : letter,
    ),
  // In words of some length, and not in all of their letters: 53 7 is a number for everybody.
  'signs for letters': (prompt, next) =>
    prompt.replace(/[a-z]{3,}/gi, (word) => {
      const signed = eachLetter(word, (letter, index) => {
        const sign = next() % 2 ? signs[letter]?.[next() % 2] : undefined
        const isAtEdge = index === 0 || index === word.length - 1
        return sign === undefined || (sign === '!' && isAtEdge) ? letter : sign
      })
      return /[a-z]/i.test(signed) ? signed : word
    }),
  'letters in rows': (prompt, next) =>
    eachLetter(prompt, (letter) =>
      /[aeiou]/.test(letter) && next() % 3 === 0 ? letter.repeat(3 + (next() % 4)) : letter,
    ),
  'letters taken apart': (prompt, next) => {
    const gap = [' ', '.', '-', '_', ' . ', '  '][next() % 6] ?? ' '
    return prompt.replace(/[a-z]{3,}/gi, (word) => [...word].join(gap))
  },
  'one word cut by a hyphen': (prompt, next) =>
    prompt.replace(/[a-z]{4,}/gi, (word) => {
      const at = 1 + (next() % (word.length - 1))
      return `${word.slice(0, at)}-${word.slice(at)}`
    }),
  'other alphabets': (prompt, next) =>
    eachLetter(prompt, (letter) => {
      const other = { a: 'а', e: 'е', o: 'о', c: 'с', p: 'р', x: 'х' }[letter]
      return other && next() % 2 ? other : letter
    }),
  'full-width letters': (prompt, next) =>
    eachLetter(prompt, (letter) =>
      /[a-z]/.test(letter) && next() % 2 ? String.fromCodePoint(letter.charCodeAt(0) + 0xfee0) : letter,
    ),
}

const refused = Object.entries(blocked).flatMap(([policy, prompts]) => prompts.map((prompt) => ({ policy, prompt })))

for (const [name, disguise] of Object.entries(disguises)) {
  test(`hidden by ${name}, it is refused all the same`, () => {
    fc.assert(
      fc.property(pick(...refused), fc.infiniteStream(fc.nat(1000)), ({ policy, prompt }, numbers) => {
        const hidden = disguise(prompt, () => numbers.next().value)
        assert.ok(refusal(only(policy), hidden), `${prompt} as ${hidden}`)
      }),
      { numRuns: 250 },
    )
  })
}

test('what must pass does so in capitals, with diacritics and with zero-width characters', () => {
  const fine = Object.values(passing).flat()
  for (const name of ['upper and lower case', 'zero-width characters', 'diacritics', 'full-width letters']) {
    let count = 0
    const changed = fine.map((prompt) => disguises[name]!(prompt, () => count++))
    assert.deepEqual(
      changed.filter((prompt) => refusal(strict, prompt)),
      [],
      name,
    )
  }
})

test('it is refused amid harmless sentences, too', () => {
  const neutral = pick(
    'A quiet street after rain.',
    'Warm colours, soft light.',
    'Keep the sky as it is.',
    'Sharp focus.',
  )
  fc.assert(
    fc.property(pick(...refused), fc.array(neutral), fc.array(neutral), ({ policy, prompt }, before, after) => {
      assert.ok(refusal(only(policy), [...before, `${prompt}.`, ...after].join(' ')), prompt)
    }),
  )
})

test('whatever is asked, the answer is a refusal or nothing', () => {
  const pieces = pick(
    'nude',
    'child',
    'no',
    'remove',
    'her',
    'clothes',
    '!',
    '*',
    '...',
    '\n\n',
    ',',
    '1',
    '17',
    'a',
    "'s",
    '\ud800',
  )
  const prompt = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(pieces, { maxLength: 60 }).map((words) => words.join(' ')),
    fc.array(pieces, { maxLength: 60 }).map((words) => words.join('')),
  )
  fc.assert(fc.property(prompt, (text) => void refusal(strict, text)))
})

// ---- effort ----

test('twice the prompt is twice the work, also for prompts made to be slow', () => {
  const lexicon = createLexicon(readBuiltin().contentWords)
  /** How often words of the prompt are looked at. */
  const effort = (prompt: string): number => {
    let looks = 0
    const words = readWords(prompt)
    assert.ok(words.length <= prompt.length)
    const watched = new Proxy(words, {
      get(target, field, receiver) {
        if (typeof field === 'string' && /^\d+$/.test(field)) looks++
        return Reflect.get(target, field, receiver)
      },
    }) as Word[]
    for (const policy of strict.contentPolicies) breaksPolicy(policy, lexicon(watched))
    return looks
  }
  const traps = [
    'a ',
    'n u d ',
    'no ',
    'no the ',
    'remove all of her ',
    '!',
    '*',
    'aaa',
    '1',
    'p0',
    "'s",
    'child 1 ',
    'nude lip ',
  ]
  for (const trap of [...traps, 'shot in a ', 'without her ', '\n ', '-a', 'naked-']) {
    const [once, twice] = [effort(trap.repeat(1000)), effort(trap.repeat(2000))]
    assert.ok(twice <= 2 * once + 200, `${JSON.stringify(trap)}: ${once}, then ${twice}`)
  }
})

test('the longest prompts are answered, however they are made', () => {
  for (const trap of [
    'a ',
    '!',
    'aaa',
    'no ',
    '\ufdfa',
    '\u3316',
    '\u0301\u0323',
    '\u200b',
    'nüde ',
    '1',
    '\n',
    '*a',
    '. ',
  ]) {
    refusal(strict, trap.repeat(32768 / trap.length))
  }
})

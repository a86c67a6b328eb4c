import type { AdultScores } from './adult.js'
import type { Face } from './faces.js'

export type Verdict = {
  /** Adult content: porn or hentai, or clearly sexual. */
  isAdult: boolean
  /** A face that looks younger than 18, or not much older. */
  containsMinor: boolean
  scores: AdultScores & {
    /** Estimates of the ages of all faces that were found, the youngest first. Undefined when faces could not be looked at. */
    ages: number[] | undefined
  }
}

/** Portraits of clothed people reach 0.5 now and then. */
const explicitMin = 0.7

/** Swimwear and dance are sexy and not adult. Where nothing else is possible, a smaller part of porn is enough. */
const sexualMin = 0.98
const explicitInSexualMin = 0.25

/**
 * The estimates are off by some years in both directions. Chosen on few faces: two photographs of one adolescent came out as
 * 18 and 19, the youngest of 76 other faces as 23. No small children were among them.
 */
const adultAgeEstimateMin = 21

/** The age to be expected, because the likeliest one jumps between neighbours. */
export const estimateAge = ({ ages }: Pick<Face, 'ages'>): number =>
  ages.reduce((sum, likelihood, index) => sum + likelihood * (index + 1), 0)

export const judge = (adult: AdultScores, faces: Pick<Face, 'ages'>[] | undefined): Verdict => {
  const explicit = adult.porn + adult.hentai
  const ages = faces?.map(estimateAge).sort((one, other) => one - other)
  return {
    isAdult: explicit >= explicitMin || (explicit + adult.sexy >= sexualMin && explicit >= explicitInSexualMin),
    containsMinor: ages?.some((age) => age < adultAgeEstimateMin) ?? false,
    scores: { ...adult, ages },
  }
}

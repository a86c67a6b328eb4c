const samplesMax = 128
const samplesMin = 16
const recountAfter = 16
const latencyWeight = 0.2
const failureWeight = 0.1
const pollWeight = 0.02

export type Health = ReturnType<typeof createHealth>

/** How a node does lately: how fast it answers, and how often it fails. */
export const createHealth = () => {
  const samples = new Float64Array(samplesMax)
  let count = 0
  let slowMs: number | undefined
  let latencyMs: number | undefined
  let failureRate = 0

  const blend = (ms: number) => {
    latencyMs = latencyMs === undefined ? ms : latencyMs + (ms - latencyMs) * latencyWeight
  }
  const took = (ms: number) => {
    blend(ms)
    samples[count % samplesMax] = ms
    count += 1
    if (count % recountAfter === 0) {
      const sorted = samples.slice(0, Math.min(count, samplesMax)).sort()
      slowMs = sorted[Math.floor(sorted.length * 0.95)]
    }
  }

  return {
    /** An answer came. Without a time: one that cannot be compared with others, such as that to a batch. */
    succeeded(ms?: number) {
      if (ms !== undefined) took(ms)
      failureRate -= failureRate * failureWeight
    },
    /**
     * It told how far it is. That is quickly said, so it does not count as a usual answer; but it lets a node be found
     * again that was slow once, and was not asked since.
     */
    polled(ms: number) {
      blend(ms)
      failureRate -= failureRate * pollWeight
    },
    failed() {
      failureRate += (1 - failureRate) * failureWeight
    },
    /** Somebody else was faster; it would have taken longer than this. */
    wasSlow: took,
    latencyMs: () => latencyMs,
    failureRate: () => failureRate,
    /** Of twenty answers, nineteen come faster. Undefined while too few came. */
    slowMs: () => (count >= samplesMin ? slowMs : undefined),
    /** Smaller is better. Undefined while nothing is known. */
    score: () => (latencyMs === undefined ? undefined : (latencyMs + 1) * (1 + 10 * failureRate)),
  }
}

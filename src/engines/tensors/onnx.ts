import { availableParallelism } from 'node:os'
import { InferenceSession } from 'onnxruntime-node'

/** Only for threads: loading and running a network take the thread they are called in. */
export const openOnnx = (model: Uint8Array): Promise<InferenceSession> =>
  InferenceSession.create(model, {
    executionProviders: ['cpu'],
    intraOpNumThreads: availableParallelism(),
    interOpNumThreads: 1,
    // The arena of the runtime keeps up to 700 MB between runs; without it a run is hardly slower.
    enableCpuMemArena: false,
    // Threads that spin while they wait take cores from requests.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    logSeverityLevel: 3,
  })

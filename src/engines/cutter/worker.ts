import { EngineError } from '../engine-error.js'
import { cutOutBy } from '../matter/colours.js'
import { type Cutter, loadCutter } from '../matter/cut.js'
import type { Raster } from '../pixels/raster.js'
import { encode, fromRaster, openPicture, toRaster } from '../pixels/sharp.js'
import { type Stop, serveJobs } from '../threads/serve.js'

/** `working` is 1 while the job runs, shared with whoever waits for its end. */
export type CutOutJob = { bytes: Uint8Array; working: Int32Array }

let loading: Promise<Cutter> | undefined

const load = () => {
  loading ??= loadCutter().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

const read = (bytes: Uint8Array): Promise<Raster> =>
  toRaster(openPicture(bytes)).catch((cause) => {
    throw new EngineError('unreadable', 'the picture cannot be decoded', { said: 'image is cut off or broken', cause })
  })

serveJobs({
  cutOut: async ({ bytes, working }: CutOutJob, stop: Stop): Promise<Uint8Array> => {
    Atomics.store(working, 0, 1)
    try {
      const [cutter, raster] = await Promise.all([load(), read(bytes)])
      stop.check()
      const matte = await cutter.matte(raster, stop)
      stop.check()
      const subject = await cutOutBy(raster, matte)
      stop.check()
      return new Uint8Array(await encode(fromRaster(subject), 'png'))
    } finally {
      Atomics.store(working, 0, 0)
    }
  },
})

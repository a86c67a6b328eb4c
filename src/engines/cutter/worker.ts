import { EngineError } from '../engine-error.js'
import { cutOutBy } from '../matter/colours.js'
import { type Cutter, loadCutter } from '../matter/cut.js'
import type { Raster } from '../pixels/raster.js'
import { encode, fromRaster, openPicture, toRaster } from '../pixels/sharp.js'
import { type Stop, serveJobs } from '../threads/serve.js'

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
  cutOut: async (bytes: Uint8Array, stop: Stop): Promise<Uint8Array> => {
    const [cutter, raster] = await Promise.all([load(), read(bytes)])
    stop.check()
    const matte = await cutter.matte(raster, stop)
    stop.check()
    const subject = await cutOutBy(raster, matte)
    stop.check()
    return new Uint8Array(await encode(fromRaster(subject), 'png'))
  },
})

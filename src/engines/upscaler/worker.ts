import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { encode, fromRaster, openPicture, toRaster } from '../pixels/sharp.js'
import { type Stop, serveJobs } from '../threads/serve.js'
import { fromColours, isOpaque, resizeTo, takeColours, toColours, withOpacity } from './colours.js'
import { enlarge } from './enlarge.js'

export type UpscaleOrder = {
  model: string
  bytes: Uint8Array
  width: number
  height: number
  creativity: number
  networkMs: number
}

const upscale = async (order: UpscaleOrder, stop: Stop): Promise<Uint8Array> => {
  const raster = await read(order.bytes)
  stop.check()
  const factor = Math.max(order.width / raster.width, order.height / raster.height)
  const opacity = isOpaque(raster) ? undefined : await toColours(resizeTo(fromRaster(raster).extractChannel(3), order))
  const small = takeColours(raster)
  const enlarged = await enlarge(small, { ...order, factor }, stop)
  stop.check()
  const sized = resizeTo(fromColours(enlarged ?? small), order)
  // Without a network, all that can be done for more detail is to show better what is there.
  const result = enlarged || order.creativity === 0 ? sized : sized.sharpen({ sigma: 1, m2: 150 * order.creativity })
  return encode(opacity ? fromRaster(withOpacity(await toColours(result), opacity.data)) : result, 'png')
}

const read = async (bytes: Uint8Array): Promise<Raster> => {
  try {
    return await toRaster(openPicture(bytes))
  } catch (cause) {
    throw new EngineError('unreadable', 'a picture could not be decoded', { said: 'image is cut off or broken', cause })
  }
}

serveJobs({ upscale })

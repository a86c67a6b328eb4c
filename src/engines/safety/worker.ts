import { EngineError } from '../engine-error.js'
import { openPicture } from '../pixels/sharp.js'
import type { Colours } from '../tensors/colours.js'
import { once } from '../tensors/once.js'
import { type Stop, serveJobs } from '../threads/serve.js'
import { openAdultModel } from './adult.js'
import { openFaceModels } from './faces.js'
import { judge, type Verdict } from './verdict.js'

/** Pictures are judged in this size: faces in a crowd can still be told apart, and most pictures are read faster. */
const sideMax = 1024

const adultModel = once(openAdultModel)
const faceModels = once(openFaceModels)

const look = async (bytes: Uint8Array, stop: Stop): Promise<Verdict> => {
  const picture = await read(bytes)
  stop.check()
  const adult = await (await adultModel()).look(picture)
  stop.check()
  return judge(adult, await facesIn(picture))
}

/** Without an answer about faces, the one about the rest is still worth having. */
const facesIn = async (picture: Colours) => {
  try {
    return await (await faceModels()).look(picture)
  } catch {
    return undefined
  }
}

const read = async (bytes: Uint8Array): Promise<Colours> => {
  try {
    const { data, info } = await openPicture(bytes)
      .resize(sideMax, sideMax, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height }
  } catch (cause) {
    throw new EngineError('unreadable', 'a picture could not be decoded', { said: 'image is cut off or broken', cause })
  }
}

serveJobs({ look })

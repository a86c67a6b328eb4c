import { fromRaster } from '../../pixels/sharp.js'
import { openFaceModels } from '../../safety/faces.js'
import type { FaceFinder } from '../tools.js'

/** Faces are looked for in a smaller picture; this many pixels are enough for a crowd. */
const sideMax = 1024

/** Finds faces, with the models that look at pictures before they are delivered. */
export const loadFaceFinder = async (): Promise<FaceFinder> => {
  const models = await openFaceModels()
  return {
    async find(raster) {
      const { data, info } = await fromRaster(raster)
        .resize(sideMax, sideMax, { fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#ffffff' })
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true })
      const scale = raster.width / info.width
      const faces = await models.look({ data, width: info.width, height: info.height })
      return faces.map(({ region: { x, y, width, height } }) => ({
        left: (x - width / 2) * scale,
        top: (y - height / 2) * scale,
        width: width * scale,
        height: height * scale,
      }))
    },
  }
}

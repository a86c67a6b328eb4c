import type { Picture } from '#engines/image.js'
import type { Answer } from '#ledger/answers.js'
import { json } from '../answer.js'
import type { Made } from './make-images.js'
import type { Size } from './sizes.js'

type Reply = Pick<Answer, 'headers' | 'body'>

const asBuffer = ({ bytes }: Picture): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const base64 = (picture: Picture): string => asBuffer(picture).toString('base64')

/** The picture itself. */
export const binary = ([picture]: readonly Picture[]): Reply => {
  if (picture === undefined) throw new Error('there is no picture to answer with')
  const { format } = picture
  const filename = `image.${format === 'jpeg' ? 'jpg' : format}`
  return {
    headers: { 'content-type': `image/${format}`, 'content-disposition': `inline; filename="${filename}"` },
    body: asBuffer(picture),
  }
}

/** The answer of POST /image/generate. */
export const generatedImages = (
  { pictures, timing }: Made,
  { requestId, request }: { requestId: string; request: object },
): Reply => ({
  headers: json,
  body: JSON.stringify({
    id: `generate-image-${requestId}`,
    images: pictures.map(base64),
    timing: {
      inferenceDuration: Math.round(timing.engineMs),
      inferencePreprocessingTime: Math.round(timing.beforeMs),
      inferenceQueueTime: 0,
      total: Math.round(timing.totalMs),
    },
    request,
  }),
})

/** The answer of POST /images/generations and POST /images/edits. */
export const compatImages = (
  pictures: readonly Picture[],
  { asUrl, size }: { asUrl: boolean; size?: Size },
): Reply => ({
  headers: json,
  body: JSON.stringify({
    created: Math.floor(Date.now() / 1000),
    data: pictures.map((picture) =>
      asUrl ? { url: `data:image/${picture.format};base64,${base64(picture)}` } : { b64_json: base64(picture) },
    ),
    output_format: pictures[0]?.format,
    ...(size && { size: `${size.width}x${size.height}` }),
  }),
})

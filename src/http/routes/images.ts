import type { CutOut } from '#capabilities/images/cut-out.js'
import { cutOutTrait } from '#capabilities/images/cut-out.js'
import type { Edit } from '#capabilities/images/edit.js'
import { type EditKind, editModelNamed } from '#capabilities/images/edit-models.js'
import type { Generate } from '#capabilities/images/generate.js'
import type { ImageJob, MakeImages } from '#capabilities/images/make-images.js'
import type { Upscale } from '#capabilities/images/upscale.js'
import type { Catalog } from '#catalog/catalog.js'
import { Shared, StandardError } from '#contract/common.js'
import { failField } from '#contract/errors.js'
import {
  BackgroundRemoveRequest,
  CompatImages,
  GeneratedImages,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageMultiEditRequest,
  ImagesEditsRequest,
  ImagesGenerationsRequest,
  ImageUpscaleRequest,
} from '#contract/images.js'
import type { ModelType } from '#contract/models.js'
import type { Metered } from '#ledger/metered.js'
import { neverStops, type StopSignal } from '#plumbing/stop-signal.js'
import { departureOf } from '../event-outlet.js'
import type { Exchange } from '../exchange.js'
import { answerPaid } from '../paid.js'
import type { PaidPost } from '../paid-post.js'
import { refused } from '../refused.js'
import { pictureIn, picturesIn } from '../uploads/pictures.js'

type Needs = {
  paidPost: PaidPost
  metered: Metered
  catalog: () => Catalog
  generate: Generate
  edit: Edit
  upscale: Upscale
  cutOut: CutOut
  makeImages: MakeImages
}

const policy = {
  422: { description: 'The content policy of the model, or the size of an image', ...Shared(StandardError) },
}
const tags = ['Images']

/** A picture as the whole answer, in one of these formats. */
const pictureAnswer = (...types: string[]) => ({
  200: {
    description: 'The image',
    content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  },
  400: refused,
  ...policy,
})
const anyFormat = ['image/png', 'image/jpeg', 'image/webp']

type NamedModel = { model?: string | null; modelId?: string }

/** Everything about pictures. Each route checks its request and makes a job of it; one function does all jobs. */
export const imageRoutes = ({ paidPost, metered, catalog, generate, edit, upscale, cutOut, makeImages }: Needs) => {
  const answer = async (exchange: Exchange, prepare: (signal: StopSignal) => Promise<ImageJob> | ImageJob) => {
    const departure = departureOf(exchange.response)
    const job = await prepare(departure)
    // Who sends an Idempotency-Key comes back for the answer, so it is worth finishing.
    const signal = exchange.headers['idempotency-key'] === undefined ? departure : neverStops
    await answerPaid(metered, exchange, makeImages.admit(job), (charge) => makeImages.run(job, charge, signal))
  }

  const forms = { takesForms: true }
  const editNamed = (kind: EditKind) => (body: unknown) =>
    editModelNamed(catalog(), kind, body as Pick<ImageEditRequest, 'model' | 'modelId'>)
  /** Clients of OpenAI send names of OpenAI; those that we do not know stand for the default. */
  const namedOrDefault = (type: ModelType) => (body: unknown) => {
    const { model } = body as NamedModel
    const isKnown = typeof model === 'string' && catalog().knows(model, type)
    if (isKnown) return model
    return type === 'inpaint' ? editModelNamed(catalog(), 'edit', {}) : 'default'
  }

  paidPost('/image/generate', {
    modelType: 'image',
    schema: {
      tags,
      summary: 'Make images from words',
      body: Shared(ImageGenerateRequest),
      response: {
        ...pictureAnswer(...anyFormat),
        200: {
          description: 'The images in base64, or with `return_binary` the image itself',
          content: {
            'application/json': { schema: Shared(GeneratedImages) },
            ...pictureAnswer(...anyFormat)[200].content,
          },
        },
      },
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => generate.native(chosen, withTexts(exchange), { requestId: exchange.id, signal })),
  })

  paidPost('/images/generations', {
    modelType: 'image',
    nameOf: namedOrDefault('image'),
    schema: {
      tags,
      summary: 'Make an image from words, in the shape of OpenAI',
      body: Shared(ImagesGenerationsRequest),
      response: { 200: Shared(CompatImages), 400: refused, ...policy },
    },
    answer: (exchange, chosen) =>
      answer(exchange, () => generate.compat(chosen, exchange.body as ImagesGenerationsRequest)),
  })

  paidPost('/image/edit', {
    modelType: 'inpaint',
    config: forms,
    nameOf: editNamed('edit'),
    schema: {
      tags,
      summary: 'Change an image by words',
      body: Shared(ImageEditRequest),
      response: pictureAnswer(...anyFormat),
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => {
        const body = exchange.body as ImageEditRequest
        return edit.one(chosen, body, pictureIn(exchange, 'image', body.image), signal)
      }),
  })

  paidPost('/image/multi-edit', {
    modelType: 'inpaint',
    config: forms,
    nameOf: editNamed('multi-edit'),
    schema: {
      tags,
      summary: 'Change and combine several images by words',
      body: Shared(ImageMultiEditRequest),
      response: pictureAnswer(...anyFormat),
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => {
        const body = exchange.body as ImageMultiEditRequest
        const sources = picturesIn(exchange, 'images', body.images)
        // docs/specification.md, POST /image/multi-edit: in a form, only files.
        const text = sources.find((source) => exchange.isForm && 'text' in source)
        if (text) throw failField(text.place, 'must be a file in a form; send JSON for base64 and URLs')
        return edit.many(chosen, body, sources, signal)
      }),
  })

  paidPost('/images/edits', {
    modelType: 'inpaint',
    config: forms,
    nameOf: namedOrDefault('inpaint'),
    schema: {
      tags,
      summary: 'Change an image by words, in the shape of OpenAI',
      body: Shared(ImagesEditsRequest),
      response: { 200: Shared(CompatImages), 400: refused, ...policy },
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => {
        const body = exchange.body as ImagesEditsRequest
        const images = picturesIn(exchange, 'image', [body.image].flat())
        const mask = body.mask === undefined ? undefined : pictureIn(exchange, 'mask', body.mask)
        return edit.compat(chosen, body, { images, mask }, signal)
      }),
  })

  paidPost('/image/upscale', {
    modelType: 'upscale',
    config: forms,
    nameOf: (body) => (body as NamedModel).model ?? 'default',
    schema: {
      tags,
      summary: 'Enlarge an image',
      body: Shared(ImageUpscaleRequest),
      response: pictureAnswer('image/png'),
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => {
        const body = exchange.body as ImageUpscaleRequest
        return upscale(chosen, body, pictureIn(exchange, 'image', body.image), signal)
      }),
  })

  paidPost('/image/background-remove', {
    modelType: 'inpaint',
    config: forms,
    nameOf: (body) => {
      const given = body as BackgroundRemoveRequest & NamedModel
      if (given.model !== undefined) throw failField('model', 'cannot be chosen here; leave it out')
      if ((given.image === undefined) === (given.image_url === undefined))
        throw failField('image', 'or image_url must be given, and not both')
      return cutOutTrait
    },
    schema: {
      tags,
      summary: 'Make the background of an image transparent',
      body: Shared(BackgroundRemoveRequest),
      response: pictureAnswer('image/png'),
    },
    answer: (exchange, chosen) =>
      answer(exchange, (signal) => {
        const { image, image_url: url } = exchange.body as BackgroundRemoveRequest
        if (url !== undefined && !/^https?:\/\//i.test(url))
          throw failField('image_url', 'must begin with http:// or https://')
        const source = url === undefined ? pictureIn(exchange, 'image', image ?? '') : { place: 'image_url', text: url }
        return cutOut(chosen, source, signal)
      }),
  })
}

/** References to styles are read from JSON alone, so their long texts are put back where they came from. */
const withTexts = ({ body, uploads }: Exchange): ImageGenerateRequest => {
  const request = body as ImageGenerateRequest
  const { style_references: references } = request
  if (references === undefined) return request
  const text = (image: string) => {
    const kept = uploads?.find(image)
    return typeof kept === 'string' ? kept : image
  }
  return { ...request, style_references: references.map((one) => ({ ...one, image: text(one.image) })) }
}

import { isDeepStrictEqual } from 'node:util'
import type { Engines } from '#capabilities/switchboard.js'
import type { Binding } from '#catalog/catalog.js'
import type { OperatorConfig, Upstream } from '#catalog/config/config-schema.js'
import { anthropicCredentials, createAnthropicText } from '#engines/anthropic/anthropic-text.js'
import { createAutomatic1111 } from '#engines/automatic1111/automatic1111.js'
import { createComfyUi } from '#engines/comfyui/comfyui.js'
import { createComposer } from '#engines/composer/composer.js'
import { createCutter } from '#engines/cutter/cutter.js'
import { createEditor } from '#engines/editor/editor.js'
import { createEmbedder } from '#engines/embedder/embedder.js'
import type { EmbeddingEngine } from '#engines/embedding.js'
import type { ImageEngine } from '#engines/image.js'
import { createLlamaEngine } from '#engines/llama/engine.js'
import { createOpenAiEmbeddings } from '#engines/openai/embeddings.js'
import { createOpenAiImages } from '#engines/openai/images.js'
import { createOpenAiText } from '#engines/openai/text.js'
import { withNormalisedInputs } from '#engines/pixels/normalised.js'
import { createPixels, type Pixels } from '#engines/pixels/pixels.js'
import { createSafety, type Safety } from '#engines/safety/safety.js'
import type { TextEngine } from '#engines/text.js'
import { limitEmbedding, limitImage, limitText } from '#engines/time-limit.js'
import { createUpscaler } from '#engines/upscaler/upscaler.js'
import { createUpstreamClient } from '#engines/upstream/client.js'

/** The engines inside this process that can run; catalog models of others are listed as offline. */
export const embeddedEngines: ReadonlySet<string> = new Set(['llama', 'embedder', 'composer', 'editor', 'upscaler'])

/** The same as upstreams have unless the config file says otherwise. */
const embeddedLimitMs = 600_000

type Needs = {
  config: () => OperatorConfig
  /** Where a model of the llama engine lies, by the name in the catalog. */
  modelFile: (name: string) => string | undefined
  modelThreads?: number | undefined
  /** Something went wrong inside that no request can be told of. */
  onTrouble: (what: string, cause?: unknown) => void
}

type Connection = {
  entry: Upstream
  text?: TextEngine
  embedding?: EmbeddingEngine
  image?: ImageEngine
  /** For models that the operator did not name. */
  unnamedImage?: ImageEngine
  close(): Promise<void>
}

/** Makes the engines that the config file and the catalog name; each on first use, and anew when its entry changes. */
export const createEngines = ({
  config,
  modelFile,
  modelThreads,
  onTrouble,
}: Needs): Engines & { pixels: Pixels; safety: Safety; close(): Promise<void> } => {
  const pixels = createPixels()
  const safety = createSafety()
  const upscaler = createUpscaler()
  const composer = createComposer()
  const editor = createEditor()
  const cutter = createCutter()
  const llama = createLlamaEngine({ modelFile, threads: modelThreads, onTrouble })
  const embedder = createEmbedder()
  const connections = new Map<string, Connection>()

  const connectionTo = (name: string): Connection | undefined => {
    const entry = config().upstreams[name]
    const known = connections.get(name)
    if (known?.entry === entry) return known
    if (entry === undefined) {
      connections.delete(name)
      void known?.close()
      return undefined
    }
    if (known && isDeepStrictEqual(known.entry, entry)) {
      known.entry = entry
      return known
    }
    // Requests that are on their way over the former connection end as they began.
    void known?.close()
    const fresh = connect(entry, pixels)
    connections.set(name, fresh)
    return fresh
  }

  const embedded: Record<string, Omit<Connection, 'entry' | 'close'>> = {
    llama: { text: limitText(llama.text, embeddedLimitMs) },
    embedder: { embedding: limitEmbedding(embedder, embeddedLimitMs) },
    // Background removal is an edit of its own, which a part of the editor does.
    editor: { image: limitImage({ ...editor, ...cutter }, embeddedLimitMs) },
    composer: { image: limitImage(composer, embeddedLimitMs) },
    upscaler: { image: limitImage(upscaler, embeddedLimitMs) },
  }
  const find = (binding: Binding) =>
    binding.kind === 'upstream' ? connectionTo(binding.upstream) : embedded[binding.engine]

  return {
    pixels,
    safety,
    text: (binding) => find(binding)?.text,
    embedding: (binding) => find(binding)?.embedding,
    image(binding) {
      const { image, unnamedImage } = find(binding) ?? {}
      return binding.kind === 'upstream' && !binding.isModelNamed ? (unnamedImage ?? image) : image
    },
    async close() {
      await Promise.all(
        [llama, embedder, pixels, safety, composer, editor, cutter, upscaler, ...connections.values()].map((engine) =>
          engine.close(),
        ),
      )
    },
  }
}

const connect = (entry: Upstream, pixels: Pixels): Connection => {
  const picturesFrom = (engine: ImageEngine) => withNormalisedInputs(engine, pixels)
  const { kind, apiKey, headers = {}, timeoutMs } = entry
  const timeouts = { totalMs: timeoutMs }
  switch (kind) {
    case 'openai': {
      const client = createUpstreamClient({ baseUrl: entry.baseUrl, apiKey, headers, timeouts })
      const image = picturesFrom(createOpenAiImages(client))
      return {
        entry,
        text: createOpenAiText(client),
        embedding: createOpenAiEmbeddings(client),
        image,
        close: client.close,
      }
    }
    case 'anthropic': {
      // Its documentation names the address without the version, other services' with it; both are meant well.
      const baseUrl = entry.baseUrl.replace(/\/v1\/*$/, '')
      const credentials = apiKey === undefined ? {} : anthropicCredentials(apiKey)
      const client = createUpstreamClient({ baseUrl, headers: { ...credentials, ...headers }, timeouts })
      return { entry, text: createAnthropicText(client), close: client.close }
    }
    case 'automatic1111': {
      const client = createUpstreamClient({ baseUrl: entry.baseUrl, apiKey, headers, timeouts })
      return {
        entry,
        image: picturesFrom(createAutomatic1111(client)),
        unnamedImage: picturesFrom(createAutomatic1111(client, { usesLoaded: true })),
        close: client.close,
      }
    }
    case 'comfyui': {
      const client = createUpstreamClient({ baseUrl: entry.baseUrl, apiKey, headers, timeouts })
      return { entry, image: picturesFrom(createComfyUi(client, { workflows: entry.workflows })), close: client.close }
    }
  }
}

import { type Static, Type } from 'typebox'
import { StringEnum } from '#contract/common.js'
import { ContentPolicies, ContentWords } from './content-policy-entry.js'
import { closed, EvmAddress, HttpUrl, Matching, namesStartWithLetter, Secret, SolanaAddress } from './fields.js'
import { type ModelEntry, Rate, sizes } from './model-entry.js'

/** The config file of the operator, section by section. Model entries are in model-entry.ts. */
const Maybe = Type.Optional
const Usd = (amount: string) => Type.Unsafe<string>({ price: 'decimal', default: amount })
const Positive = (standard: number) => Type.Integer({ minimum: 1, default: standard })

const WorkflowFile = Maybe(Type.String({ minLength: 1 }))
const WorkflowFiles = Type.Object(
  { generate: WorkflowFile, edit: WorkflowFile, upscale: WorkflowFile },
  { ...closed, minProperties: 1 },
)

export const Upstream = Type.Object(
  {
    kind: StringEnum(['openai', 'anthropic', 'automatic1111', 'comfyui']),
    baseUrl: HttpUrl,
    apiKey: Maybe(Secret),
    headers: Maybe(Type.Record(Type.String(), Type.String(), { description: 'Sent with every request' })),
    timeoutMs: Type.Integer({ minimum: 1, default: 600_000, description: 'Bounds the whole call' }),
    workflows: Maybe(
      Type.Record(Type.String(), WorkflowFiles, {
        description: 'Only for comfyui: files in API format by the name of the model, relative to the config file',
      }),
    ),
  },
  closed,
)
export type Upstream = Static<typeof Upstream>

/** Text and embedding models are limited by size, image and audio models by type. Video and music are not limited. */
export const limitGroups = [...sizes, 'image', 'audio'] as const
export type LimitGroup = (typeof limitGroups)[number]

const Group = (description: string) => Maybe(Type.Object(Rate.properties, { ...closed, description }))
const LimitSetEntry = Type.Object(
  {
    XS: Maybe(Rate),
    S: Maybe(Rate),
    M: Maybe(Rate),
    L: Maybe(Rate),
    image: Maybe(Rate),
    audio: Maybe(Rate),
    other: Group('Requests without a model, of each key in each process'),
    account: Group('Everything that an account asks of models, with all its keys together'),
    models: Maybe(Type.Record(Type.String(), Rate, { description: 'Single models, over the limits of their group' })),
  },
  closed,
)
export type LimitSetEntry = Static<typeof LimitSetEntry>
const Whole = Maybe(Type.Integer({ minimum: 1 }))

export const LimitsEntry = Type.Object(
  {
    tiers: Maybe(Type.Record(Type.String(), LimitSetEntry, namesStartWithLetter)),
    accounts: Maybe(
      Type.Record(Type.String(), LimitSetEntry, {
        description: 'Single accounts by their id, over the limits of their tier',
        propertyNames: {
          pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
          expected: 'the id of an account, as tessera accounts list shows it',
        },
      }),
    ),
    global: Group('Everything that all callers together ask of models'),
    errorBudget: Maybe(Type.Object({ windowSeconds: Whole, failed: Whole, unsupported: Whole }, closed)),
    keyCreationsPerMinute: Whole,
  },
  closed,
)
export type LimitsEntry = Static<typeof LimitsEntry>

/** A node, by its address or with what has to be sent to it. */
const RpcUpstream = Type.Union([
  HttpUrl,
  Type.Object(
    {
      url: HttpUrl,
      headers: Maybe(Type.Record(Type.String(), Type.String(), { description: 'Sent with every call' })),
    },
    closed,
  ),
])

const RpcNetwork = Type.Object(
  {
    family: StringEnum(['evm', 'solana', 'starknet']),
    upstreams: Type.Array(RpcUpstream, {
      minItems: 1,
      description: 'Nodes that are asked, and stand in for each other',
    }),
    creditsPerCall: Maybe(Type.Integer({ minimum: 1, description: 'Base credits of one call' })),
    blockTimeMs: Maybe(Type.Integer({ minimum: 1, description: 'How long what is true of the newest block is kept' })),
  },
  closed,
)
export type RpcNetwork = Static<typeof RpcNetwork>

const RpcLimits = Type.Object({ requestsPerMinute: Whole, creditsPerDay: Whole }, closed)

export const Rpc = Type.Object(
  {
    networks: Type.Record(Type.String(), RpcNetwork, {
      propertyNames: { pattern: '^[a-z0-9]+(-[a-z0-9]+)+$', expected: 'a network name such as base-mainnet' },
    }),
    usdPerCredit: Usd('0.0000007'),
    requestsPerMinute: Positive(100),
    creditsPerDay: Positive(10_000_000),
    tiers: Maybe(Type.Record(Type.String(), RpcLimits, namesStartWithLetter)),
    timeoutMs: Positive(30_000),
    answerBytesMax: Positive(16 * 1024 * 1024),
    largeAnswersBytesMax: Positive(512 * 1024 * 1024),
    cacheBytesMax: Type.Integer({ minimum: 0, default: 64 * 1024 * 1024, description: 'In each process; 0 for none' }),
  },
  closed,
)
export type Rpc = Static<typeof Rpc>

export const X402 = Type.Object(
  {
    evm: Maybe(
      Type.Object(
        {
          rpcUrl: HttpUrl,
          payTo: EvmAddress,
          feeWalletKey: Maybe(Matching('^(0x)?[0-9a-fA-F]{64}$', 'a private key of 64 hex digits')),
          chainId: Positive(8453),
          asset: Type.String({ ...EvmAddress, default: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }),
          tokenName: Type.String({
            minLength: 1,
            default: 'USD Coin',
            description: 'In the EIP-712 domain of the token',
          }),
          tokenVersion: Type.String({ minLength: 1, default: '2', description: 'In the EIP-712 domain of the token' }),
          confirmations: Positive(1),
          maxFeeGwei: Usd('20'),
          lowFeeBalance: Usd('0.002'),
          walletFactories: Maybe(
            Type.Array(EvmAddress, {
              description: 'Factories that may deploy a contract wallet with its first payment',
            }),
          ),
        },
        closed,
      ),
    ),
    solana: Maybe(
      Type.Object(
        {
          rpcUrl: HttpUrl,
          payTo: SolanaAddress,
          feeWalletKey: Maybe(Matching('^[1-9A-HJ-NP-Za-km-z]{80,88}$', 'the base58 form of a 64-byte key')),
          asset: Type.String({ ...SolanaAddress, default: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }),
          confirmation: StringEnum(['confirmed', 'finalized'], { default: 'confirmed' }),
          lowFeeBalance: Usd('0.05'),
        },
        closed,
      ),
    ),
    facilitatorUrl: Maybe(HttpUrl),
    minimumTopUpUsd: Usd('5'),
    suggestedTopUpUsd: Usd('10'),
    maximumTopUpUsd: Usd('10000'),
    minimumBalanceUsd: Usd('0.1'),
    settlementTimeoutSeconds: Positive(300),
    // Without credentials we answer 401; clients that only discover by 402 need this.
    answerMissingKeyWith402: Type.Boolean({ default: false }),
    signIn: Maybe(
      Type.Object(
        {
          maxAgeSeconds: Positive(300),
          isReusable: Type.Boolean({ default: false, description: 'The same header is good until it expires' }),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type X402 = Static<typeof X402>

export const Search = Type.Object(
  {
    provider: StringEnum(['searxng', 'brave', 'google']),
    baseUrl: Maybe(HttpUrl),
    apiKey: Maybe(Secret),
    engineId: Maybe(Type.String({ minLength: 1, description: 'The search engine id of Google Custom Search' })),
    timeoutMs: Positive(10_000),
    usdPerSearch: Usd('0.01'),
    usdPerScrape: Usd('0.01'),
  },
  closed,
)
export type Search = Static<typeof Search>

export const Staking = Type.Object(
  {
    rpcUrl: HttpUrl,
    contract: EvmAddress,
    decimals: Type.Integer({ minimum: 0, maximum: 36, default: 18, description: 'Of the staked token' }),
    diemPerToken: Maybe(Type.Unsafe<string>({ price: 'decimal', description: 'Diem a day for each staked token' })),
    intervalSeconds: Positive(300),
  },
  closed,
)
export type Staking = Static<typeof Staking>

/** docs/specification.md, enhance_prompt: what a prompt that was rewritten for a picture costs, and who rewrites it. */
export const PromptEnhancement = Type.Object(
  {
    model: Maybe(
      Type.String({ minLength: 1, description: 'A text model; the default one of an upstream unless given' }),
    ),
    usd: Usd('0.04'),
  },
  closed,
)
export type PromptEnhancement = Static<typeof PromptEnhancement>

/** The whole file, except that each entry of `models` is checked on its own, by the schema of its type. */
export const ConfigFile = Type.Object(
  {
    upstreams: Type.Record(Type.String(), Upstream, { ...namesStartWithLetter, default: {} }),
    models: Type.Array(Type.Unsafe<ModelEntry>({}), { default: [] }),
    builtinModels: Type.Boolean({ default: true }),
    systemPrompt: Maybe(
      Type.String({ maxLength: 100_000, description: "Said to text models before the caller's own; '' for nothing" }),
    ),
    promptEnhancement: Maybe(PromptEnhancement),
    styles: Maybe(Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true })),
    limits: Maybe(LimitsEntry),
    contentWords: Maybe(ContentWords),
    contentPolicies: Maybe(ContentPolicies),
    rpc: Maybe(Rpc),
    x402: Maybe(X402),
    search: Maybe(Search),
    staking: Maybe(Staking),
  },
  closed,
)

/** The config file as the service uses it: valid, variables replaced, defaults filled in. */
export type OperatorConfig = Static<typeof ConfigFile>

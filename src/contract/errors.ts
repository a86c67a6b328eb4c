/**
 * Everything a caller may be told when something fails: status, machine-readable code, sentence. Code throws
 * `fail(name)`; one renderer in `http` turns it into the answer.
 */
type Line = { status: number; code: string; say: (...parts: string[]) => string }

const line = (status: number, code: string, say: string | ((...parts: string[]) => string)): Line => ({
  status,
  code,
  say: typeof say === 'string' ? () => say : say,
})

const keyLimitReached = (limit = '', left = '', needed = '', reset = '') =>
  `This API key may spend ${limit}; ${left} of that is left and this request needs ${needed}; ${reset}`

export const failures = {
  // 400
  invalidRequest: line(400, 'INVALID_REQUEST', (problem = 'The request is not valid') => problem),
  malformedJson: line(400, 'INVALID_REQUEST', (where = '') => `The request body is not valid JSON: ${where}`),
  invalidModel: line(400, 'INVALID_MODEL', (problem = 'This model cannot be used here') => problem),
  unsupportedFeature: line(
    400,
    'UNSUPPORTED_FEATURE',
    (field = '', problem = '') => `${field} cannot be used: ${problem}`,
  ),
  engineRefused: line(400, 'INVALID_REQUEST', (model = '', said = '') => `The model '${model}' refuses this: ${said}`),
  tooManyTokens: line(
    400,
    'TOO_MANY_TOKENS',
    (context = '') => `Prompt and completion do not fit the model's context of ${context} tokens`,
  ),
  tooManyKeys: line(
    400,
    'INVALID_REQUEST',
    (max = '') => `This account already has ${max} active API keys; delete one first`,
  ),

  idempotencyKeyInvalid: line(400, 'INVALID_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
  idempotencyKeyReused: line(
    400,
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a different request within the last 24 hours; choose a new one',
  ),

  // 400, for files, images, audio and video; the place is a field such as messages.0.content.1, or "The file"
  fileTooLarge: line(400, 'FILE_TOO_LARGE', (place = '', max = '') => `${place} is larger than ${max} MB`),
  documentUnreadable: line(400, 'UNREADABLE_FILE', (place = '', problem = '') => `${place} ${problem}`),
  documentUnsupported: line(400, 'UNSUPPORTED_FILE', (place = '', problem = '') => `${place} ${problem}`),
  documentExcessive: line(400, 'UNREADABLE_FILE', (place = '', problem = '') => `${place} ${problem}`),
  documentWithoutText: line(
    400,
    'NO_TEXT_FOUND',
    (place = '') => `${place} holds no text; pictures of text are not read`,
  ),

  corruptedImage: line(
    400,
    'CORRUPTED_IMAGE',
    (place = '') => `${place} is not a complete PNG, JPEG, WebP or GIF image`,
  ),
  imageUnreadable: line(
    400,
    'CORRUPTED_IMAGE',
    (problem = '') => `A picture of this request cannot be used: ${problem}`,
  ),
  notAPicture: line(
    400,
    'CORRUPTED_IMAGE',
    (place = '') => `${place} is not a readable JPEG, PNG, WebP, GIF, TIFF or AVIF picture`,
  ),
  pictureTooSmall: line(
    400,
    'IMAGE_TOO_SMALL',
    (place = '', width = '', height = '', min = '') =>
      `${place} is a picture of ${width} x ${height} pixels; at least ${min} pixels are needed in all`,
  ),
  imageTooSmall: line(
    400,
    'IMAGE_TOO_SMALL',
    (place = '', width = '', height = '', min = '') =>
      `${place} is an image of ${width} x ${height} pixels; at least ${min} are needed on each side`,
  ),
  mediaUnavailable: line(400, 'MEDIA_UNAVAILABLE', (place = '', problem = '') => `The URL in ${place} ${problem}`),

  // 400, for calls of blockchain nodes
  rpcNetworkUnsupported: line(
    400,
    'UNSUPPORTED_NETWORK',
    (network = '', networks = '') => `The network '${network}' is not supported; supported are: ${networks}`,
  ),
  rpcMethodUnsupported: line(
    400,
    'UNSUPPORTED_METHOD',
    (network = '', methods = '') => `On ${network}, ${methods}. Nothing was run, nothing is charged`,
  ),
  rpcIdempotencyKeyInvalid: line(
    400,
    'INVALID_REQUEST',
    'Idempotency-Key must be 1 to 255 letters, digits, hyphens or underscores',
  ),

  // 400, for keys made with a wallet
  walletAddressInvalid: line(400, 'INVALID_REQUEST', 'address must be 0x and 40 hexadecimal digits'),
  walletTokenExpired: line(400, 'INVALID_REQUEST', 'The token has expired; get a new one, it is valid for 15 minutes'),
  walletTokenSignature: line(400, 'INVALID_REQUEST', 'The token was not signed by this service'),
  walletTokenElsewhere: line(400, 'INVALID_REQUEST', 'The token was issued by or for something else'),
  walletTokenMalformed: line(400, 'INVALID_REQUEST', 'The token is malformed; send the text exactly as it was given'),
  walletSignatureMismatch: line(400, 'INVALID_REQUEST', 'The signature is not one of the token by this address'),
  walletSignatureUnavailable: line(
    400,
    'INVALID_REQUEST',
    'The signature of this contract wallet cannot be checked right now; retry',
  ),
  walletNoStake: line(400, 'INVALID_REQUEST', 'This wallet has no stake; stake first, then ask for a key'),
  walletStakingOff: line(400, 'INVALID_REQUEST', 'This service has no staking contract, so no wallet has a stake here'),

  // 400, for payments of wallets; `paymentFailure` gives them the shape that x402 clients expect
  paymentUnreadable: line(400, 'X402_INVALID_PAYMENT', (problem = '') => `The payment cannot be used: ${problem}`),
  paymentRefused: line(
    400,
    'PAYMENT_VERIFICATION_FAILED',
    (problem = '') => `The payment was refused: ${problem}; nothing was credited`,
  ),

  paymentElsewhere: line(
    400,
    'X402_INVALID_PAYMENT',
    'Payments are taken at POST /x402/top-up and not here; top up, then sign in with SIGN-IN-WITH-X. Nothing was charged',
  ),

  // 401: each says precisely what is wrong, so nobody has to guess
  missingKey: line(401, 'AUTHENTICATION_FAILED', "No API key was sent; send the header 'Authorization: Bearer <key>'"),
  malformedKey: line(401, 'AUTHENTICATION_FAILED', (problem = '') => `The API key is malformed: ${problem}`),
  unknownKey: line(401, 'AUTHENTICATION_FAILED', 'This API key is not known to the service'),
  revokedKey: line(401, 'AUTHENTICATION_FAILED', 'This API key has been revoked'),
  expiredKey: line(401, 'AUTHENTICATION_FAILED', (at = '') => `This API key expired at ${at}`),
  signInInvalid: line(401, 'X402_INVALID_SIGN_IN', (problem = '') => `The sign-in is not valid: ${problem}`),
  adminKeyRequired: line(401, 'AUTHENTICATION_FAILED', 'Admin API key required'),

  // 402: nothing was run and nothing is charged
  insufficientBalance: line(
    402,
    'INSUFFICIENT_BALANCE',
    (needed = '', usd = '', diem = '') =>
      `Insufficient balance: this request needs ${needed} USD, and ${usd} USD and ${diem} diem are left; add credit`,
  ),
  paymentRequired: line(402, 'PAYMENT_REQUIRED', 'Payment required'),
  keyUsdLimitReached: line(402, 'API_KEY_USD_SPEND_LIMIT_EXCEEDED', keyLimitReached),
  keyDiemLimitReached: line(402, 'API_KEY_DIEM_SPEND_LIMIT_EXCEEDED', keyLimitReached),

  // 403
  modelNotPrivate: line(
    403,
    'UNAUTHORIZED',
    (model = '') => `This API key may only use private models, and '${model}' is run by a third party`,
  ),

  walletMismatch: line(403, 'X402_WALLET_MISMATCH', 'You are signed in as another wallet than the one in the path'),

  // 404 and its relatives
  walletsOff: line(404, 'X402_NOT_CONFIGURED', 'This service takes no payments from wallets'),
  characterNotFound: line(404, 'CHARACTER_NOT_FOUND', (slug = '') => `There is no public character '${slug}'`),
  notFound: line(404, 'NOT_FOUND', (method = '', path = '') => `There is no ${method} ${path} in this API; see /docs`),
  keyNotFound: line(404, 'NOT_FOUND', 'No active API key with this id belongs to your account'),
  requestIdNotFound: line(404, 'NOT_FOUND', 'No request with this id belongs to your account'),
  modelNotFound: line(404, 'MODEL_NOT_FOUND', (name = '') => `There is no model '${name}'; GET /models lists them`),
  methodNotAllowed: line(
    405,
    'METHOD_NOT_ALLOWED',
    (method = '', allowed = '') => `${method} is not possible here; allowed: ${allowed}`,
  ),
  modelRetired: line(410, 'MODEL_RETIRED', (name = '', date = '', replacement = '') =>
    replacement
      ? `The model '${name}' was retired on ${date}; use '${replacement}' instead`
      : `The model '${name}' was retired on ${date}`,
  ),
  idempotencyKeyInUse: line(
    409,
    'IDEMPOTENCY_KEY_IN_USE',
    'The first request with this Idempotency-Key is still running; retry to get its answer',
  ),
  billingUsageGone: line(410, 'GONE', 'GET /billing/usage has ended; use GET /billing/usage-history instead'),
  requestTimeout: line(408, 'REQUEST_TIMEOUT', 'The request took too long to arrive'),
  payloadTooLarge: line(413, 'PAYLOAD_TOO_LARGE', (max = '') => `The request body is larger than ${max} bytes`),
  wordsTooLarge: line(
    413,
    'PAYLOAD_TOO_LARGE',
    (max = '') => `The request body is larger than ${max} bytes without its pictures`,
  ),
  invalidContentType: line(
    415,
    'INVALID_CONTENT_TYPE',
    (got = '', accepted = 'application/json') => `Content-Type '${got}' is not accepted here; send ${accepted}`,
  ),

  pictureTooLarge: line(
    422,
    'IMAGE_TOO_LARGE',
    (place = '', width = '', height = '', max = '') =>
      `${place} is a picture of ${width} x ${height} pixels; at most ${max} pixels are possible in all`,
  ),

  contentPolicyViolation: line(
    422,
    'CONTENT_POLICY_VIOLATION',
    (model = '', says = '') =>
      `This breaks the content policy of the model '${model}', which does not make ${says}; nothing is charged`,
  ),

  headersTooLarge: line(431, 'INVALID_REQUEST', 'The request headers are larger than 16 KiB'),

  // 429
  rateLimited: line(
    429,
    'RATE_LIMIT_EXCEEDED',
    (limit = '', whose = '', used = '', reset = '') =>
      `Rate limit reached: ${limit} ${whose}; ${used}; it begins anew at ${reset}`,
  ),
  errorBudgetUsed: line(
    429,
    'RATE_LIMIT_EXCEEDED',
    (what = '', most = '', model = '', window = '', seconds = '') =>
      `Too many ${what}: more than ${most} for the model '${model}' with this API key within ${window} s; retry in ${seconds} s`,
  ),
  signInBusy: line(
    429,
    'RATE_LIMIT_EXCEEDED',
    'Too many unknown contract wallets are signing in right now; retry shortly, or top up first',
  ),
  tooManyKeyCreations: line(
    429,
    'RATE_LIMIT_EXCEEDED',
    (max = '', seconds = '') => `At most ${max} API keys may be created per minute; try again in ${seconds} s`,
  ),

  modelOverloaded: line(
    429,
    'MODEL_OVERLOADED',
    (model = '') => `The model '${model}' has too much to do right now; retry after the time in retry-after`,
  ),

  rpcLimited: line(
    429,
    'RATE_LIMIT_EXCEEDED',
    (limit = '', used = '', reset = '') => `Rate limit reached: ${limit}; ${used}; retry at ${reset}`,
  ),

  // Nobody hears this one; it is what proxies write into their logs for a client that left.
  callerLeft: line(499, 'CALLER_LEFT', 'The caller left before there was anything to answer'),

  // 5xx: ours
  inferenceFailed: line(
    500,
    'INFERENCE_FAILED',
    (model = '') => `The model '${model}' broke off in the middle of its answer; nothing is charged, retry`,
  ),
  modelOffline: line(503, 'MODEL_OFFLINE', (model = '') => `The model '${model}' is offline; GET /models lists others`),
  modelUnreachable: line(
    503,
    'MODEL_OFFLINE',
    (model = '') => `The model '${model}' cannot be reached right now; nothing is charged, retry shortly`,
  ),
  inferenceTimeout: line(
    504,
    'REQUEST_TIMEOUT',
    (model = '') => `The model '${model}' took too long; nothing is charged. Ask for less, or with "stream": true`,
  ),
  rpcFailed: line(
    500,
    'RPC_UPSTREAM_FAILED',
    (network = '', problem = '') => `No node of ${network} gave an answer: ${problem}; nothing is charged, retry`,
  ),
  rpcTimeout: line(
    500,
    'RPC_UPSTREAM_TIMEOUT',
    (network = '') => `The nodes of ${network} took too long; nothing is charged, retry or ask for less`,
  ),
  rpcAnswerTooLarge: line(
    500,
    'RPC_ANSWER_TOO_LARGE',
    (network = '', max = '') =>
      `The answer of ${network} is larger than ${max} bytes (of a batch: four times that); nothing is charged. Ask for less, such as fewer blocks`,
  ),
  rpcOutcomeUnknown: line(
    500,
    'RPC_OUTCOME_UNKNOWN',
    (network = '', hash = '') =>
      `The node of ${network} broke off, so it is not known whether ${hash} was sent; look for it before you send it again. Nothing is charged`,
  ),
  unknown: line(
    500,
    'UNKNOWN_ERROR',
    (requestId = '') => `Something went wrong on our side; if it persists, report request ${requestId}`,
  ),
  databaseUnavailable: line(503, 'SERVICE_UNAVAILABLE', 'The service cannot reach its database; retry shortly'),
  holdLost: line(
    503,
    'SERVICE_UNAVAILABLE',
    'The credit set aside for this request expired before it ended; nothing was charged, retry',
  ),
  safetyUnavailable: line(
    503,
    'SERVICE_UNAVAILABLE',
    'The image cannot be checked for adult content right now; nothing is charged, retry, or set safe_mode to false',
  ),
  uploadsBusy: line(503, 'SERVICE_UNAVAILABLE', 'Too many files are being received right now; retry shortly'),
  rpcNoRoom: line(
    503,
    'SERVICE_UNAVAILABLE',
    'Too many large answers of nodes are under way right now; nothing is charged, retry shortly or ask for less',
  ),
  documentsBusy: line(503, 'SERVICE_UNAVAILABLE', 'Too many documents are being read right now; retry shortly'),
  signInUnavailable: line(
    503,
    'SERVICE_UNAVAILABLE',
    'The signature of this contract wallet cannot be checked right now; retry',
  ),
  paymentsNotReady: line(503, 'SERVICE_UNAVAILABLE', 'No chain can be paid on right now; retry shortly'),
  chainUnreachable: line(
    503,
    'SERVICE_UNAVAILABLE',
    (network = '') => `The chain ${network} cannot be reached right now; nothing was sent, retry with the same payment`,
  ),
  settlementPending: line(
    503,
    'SETTLEMENT_PENDING',
    'The payment was sent and the chain has not confirmed it yet; it is credited as soon as it does. Do not pay again: retry with the same payment to see the outcome',
  ),
  paymentsBusy: line(
    503,
    'SERVICE_UNAVAILABLE',
    'Too many payments are being worked on right now; retry with the same payment, it is never taken twice',
  ),
  walletStakeUnreadable: line(503, 'SERVICE_UNAVAILABLE', 'The stake of this wallet cannot be read right now; retry'),
  analyticsTimeout: line(504, 'REQUEST_TIMEOUT', 'The figures took too long; ask for fewer days or try again later'),
} satisfies Record<string, Line>

export type FailureName = keyof typeof failures

/** What a failing request is answered with. Thrown anywhere, rendered once. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  /** Extra answer headers, such as `retry-after` or `allow`. */
  readonly headers: Record<string, string> = {}
  /** Extra answer fields beside `error` and `code`, such as `details` and `issues`. */
  readonly extra: Record<string, unknown> = {}

  /** The whole answer, where its shape is not ours to choose. */
  body: object | undefined

  constructor(
    readonly failure: FailureName,
    parts: string[],
  ) {
    const { status, code, say } = failures[failure] as Line
    super(say(...parts))
    this.name = 'Failure'
    this.status = status
    this.code = code
  }

  /** Keeps the cause for the log; callers never see it. */
  because(cause: unknown): this {
    this.cause = cause
    return this
  }

  withHeaders(headers: Record<string, string>): this {
    Object.assign(this.headers, headers)
    return this
  }

  with(extra: Record<string, unknown>): this {
    Object.assign(this.extra, extra)
    return this
  }

  /** Answers with this instead of our usual shape. */
  as(body: object): this {
    this.body = body
    return this
  }

  /** SDKs read `retry-after` and `retry-after-ms`, not our reset headers. */
  retryAfterMs(ms: number): this {
    return this.withHeaders({ 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(Math.ceil(ms)) })
  }

  /** SDKs retry every 429 and 5xx by themselves, unless they are told that it will not help. */
  withoutRetry(): this {
    return this.withHeaders({ 'x-should-retry': 'false' })
  }
}

export const fail = (name: FailureName, ...parts: string[]): Failure => new Failure(name, parts)

/** A failure about a payment: x402 clients expect the code as `error`, and the reason in x402's own words. */
export const paymentFailure = (
  name: 'paymentUnreadable' | 'paymentRefused' | 'settlementPending' | 'chainUnreachable' | 'paymentsBusy',
  problem: string,
  details?: Record<string, unknown>,
): Failure => {
  const failure = fail(name, problem)
  return failure.as({ error: failure.code, message: failure.message, ...(details && { details }) })
}

/** A rule that no schema can say, such as one across two fields: told like any other broken rule. */
export const failField = (field: string, rule: string): Failure => {
  const message = `${field} ${rule}`
  const path = field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  const details = path.reduceRight<object>((inner, step) => ({ _errors: [], [step]: inner }), { _errors: [message] })
  return fail('invalidRequest', `Invalid request: ${message}`).with({
    details,
    issues: [{ code: 'custom', path, message }],
  })
}

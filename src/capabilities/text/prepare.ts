import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import type { ChatRequest, ServiceParametersEcho } from '#contract/chat.js'
import { fail } from '#contract/errors.js'
import type { TextCapabilities } from '#contract/model-parts.js'
import type { ChatMessage } from '#contract/text-parts.js'
import type { EngineRequest } from '#engines/text.js'
import { goodsOf } from '#ledger/goods.js'
import type { Order } from '#ledger/metered.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { ChosenModel } from '../model-choice.js'
import { engineRequest, withSystemPrompt } from './engine-request.js'
import { tooManyTokens } from './failures.js'
import { checkFeatures } from './features.js'
import { type PromptSize, promptSize, surelyExceeds } from './prompt-size.js'
import { refuseUnavailable, resolveParameters, splitModelName } from './service-parameters.js'
import { outputLine, promptLines } from './text-bill.js'

/** A request for text that is checked and complete: everything is known but what the engine will say. */
export type Prepared = {
  model: CatalogModelOfType<'text'>
  request: Omit<EngineRequest, 'max_completion_tokens'>
  parameters: ServiceParametersEcho
  size: PromptSize
  /** Completion tokens of each choice at most, and whether the caller set that. */
  limit: number
  isLimitAsked: boolean
  choices: number
  cacheKey: string | undefined
  /** About the model; every answer carries them. */
  headers: Record<string, string>
  order: Pick<Order, 'goods' | 'least' | 'most' | 'tokens'>
}

export type PrepareMedia = (
  messages: ChatMessage[],
  capabilities: TextCapabilities,
  signal: StopSignal,
) => Promise<ChatMessage[]>

type Needs = { catalog: () => Catalog; prepareMedia: PrepareMedia }

/** What counts for an answer whose length nobody bounded, until it is there: about as long as most are. */
const usualAnswerTokens = 300

/**
 * Turns what a caller sent into what an engine gets, and refuses what cannot work before anything is held or asked. What
 * adds to the prompt (files now; characters and web pages when the service has them) does it here, before it is measured.
 */
export const createPrepare =
  ({ catalog, prepareMedia }: Needs) =>
  async ({ model, headers }: ChosenModel<'text'>, chat: ChatRequest, signal: StopSignal): Promise<Prepared> => {
    const { suffix } = splitModelName(chat.model)
    const parameters = resolveParameters(suffix, chat.service_parameters)
    refuseUnavailable(parameters)
    checkFeatures(chat, model)

    const own = parameters.include_service_system_prompt ? catalog().systemPrompt() : ''
    const prepared = await prepareMedia(chat.messages, model.capabilities, signal).catch((error) => {
      throw signal.aborted ? fail('callerLeft') : error
    })
    const messages = withSystemPrompt(prepared, own)
    const request = engineRequest(chat, model, messages, parameters)
    const { contextTokens } = model
    const measured = promptSize(request)
    if (contextTokens !== null && surelyExceeds(measured, contextTokens)) throw tooManyTokens(model)
    const size = { ...measured, tokensMost: Math.min(measured.tokensMost, contextTokens ?? measured.tokensMost) }

    const asked = chat.max_completion_tokens ?? (chat.max_tokens && chat.max_tokens > 0 ? chat.max_tokens : undefined)
    const longest = model.maxCompletionTokens ?? contextTokens ?? Number.MAX_SAFE_INTEGER
    const limit = Math.min(asked ?? longest, longest)
    const choices = chat.n ?? 1
    const prompt = promptLines(model, size.tokensMost)
    return {
      model,
      request,
      parameters,
      size,
      limit,
      isLimitAsked: asked !== undefined && asked <= longest,
      choices,
      cacheKey: chat.prompt_cache_key ?? undefined,
      headers,
      order: {
        goods: goodsOf(model),
        least: [...prompt, outputLine(model, size.tokensMost, choices)],
        most: [...prompt, outputLine(model, size.tokensMost, choices * limit)],
        tokens: size.tokensAbout + choices * (asked === undefined ? Math.min(limit, usualAnswerTokens) : limit),
      },
    }
  }

import type { Caller } from '#accounts/caller.js'
import type { Catalog } from '#catalog/catalog.js'
import type { ChatRequest } from '#contract/chat.js'
import type { ChooseModel } from '../model-choice.js'
import { withSystemPrompt } from './engine-request.js'
import { promptSize } from './prompt-size.js'
import { resolveParameters, splitModelName } from './service-parameters.js'

/** About how many tokens a prompt will be. Free, so no engine is asked. */
export const createCountTokens =
  ({ catalog, chooseModel }: { catalog: () => Catalog; chooseModel: ChooseModel }) =>
  (caller: Caller, chat: ChatRequest): { tokens: number; headers: Record<string, string> } => {
    const { name, suffix } = splitModelName(chat.model)
    const { headers } = chooseModel(caller, name, 'text')
    const parameters = resolveParameters(suffix, chat.service_parameters)
    const own = parameters.include_service_system_prompt ? catalog().systemPrompt() : ''
    const messages = withSystemPrompt(chat.messages, own)
    return { tokens: promptSize({ ...chat, messages }).tokensAbout, headers }
  }

export type CountTokens = ReturnType<typeof createCountTokens>

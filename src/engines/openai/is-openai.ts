/** Whether this is OpenAI itself, which refuses what servers that only speak like it pass over. */
export const isOpenAi = (host: string): boolean => host === 'api.openai.com' || host.endsWith('.openai.azure.com')

import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'

let isMended = false

/**
 * Solana's client states a content-length, and the fetch of Node adds it once more. The agent of Node takes "208, 208";
 * that of the undici package, which becomes everybody's as soon as anything imports it, does not.
 */
export const mendGlobalFetch = () => {
  if (isMended) return
  isMended = true
  setGlobalDispatcher(
    getGlobalDispatcher().compose((dispatch) => (options, handler) => {
      // The headers of a fetch come as an object.
      const length = (options.headers as Record<string, unknown> | undefined)?.['content-length']
      if (typeof length !== 'string' || !length.includes(',')) return dispatch(options, handler)
      const headers = { ...(options.headers as Record<string, string>), 'content-length': length.replace(/,.*/, '') }
      return dispatch({ ...options, headers }, handler)
    }),
  )
}

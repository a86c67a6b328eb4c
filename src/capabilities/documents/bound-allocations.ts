/**
 * Makes this thread unable to take more than `bytesMax` bytes in one piece. Limits on a thread count only its objects, not
 * its buffers, and a reader that unpacks a few kilobytes into gigabytes would end the whole process.
 */
export const boundAllocations = (bytesMax: number): void => {
  const real = globalThis.Uint8Array
  globalThis.Uint8Array = new Proxy(real, {
    construct(target, values, asked) {
      if (typeof values[0] === 'number' && values[0] > bytesMax) throw new RangeError('too large a piece of memory')
      return Reflect.construct(target, values, asked === globalThis.Uint8Array ? target : asked)
    },
  })
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadChunk } from './chunk-load-error.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('loading a page’s code', () => {
  it('gives the module when it loads', async () => {
    await expect(loadChunk(async () => 'module')).resolves.toBe('module')
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    'Failed to fetch dynamically imported module: http://x/a.js',
    'error loading dynamically imported module: http://x/a.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /assets/a.css',
  ])('is missing code when the browser says %j', async (message) => {
    await expect(loadChunk(() => Promise.reject(new TypeError(message)))).rejects.toMatchObject({
      name: 'ChunkLoadError',
      kind: 'missing',
    })
  })

  it('is another failure when the code loaded and threw', async () => {
    const thrown = new TypeError('x is not a function')

    await expect(loadChunk(() => Promise.reject(thrown))).rejects.toMatchObject({
      kind: 'other',
      cause: thrown,
    })
  })

  it('is a time-out once its time has passed', async () => {
    const loading = loadChunk(() => new Promise(() => {}))
    const outcome = expect(loading).rejects.toMatchObject({ kind: 'timeout' })

    await vi.advanceTimersByTimeAsync(119_999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)

    await outcome
  })
})

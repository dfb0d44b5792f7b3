import { existsSync } from 'node:fs'
import { QUOTE_MINTS } from '@pairwire/contract/mints'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { builtInFace } from '../feed/token-face.ts'

/** Claims `{}` without an expiry. */
const SESSION = 'e30.e30.signature'

describe('paths of logos', () => {
  let asked: string[][]
  let status: number
  let logoPath: (url: string) => Promise<string | undefined>
  beforeEach(async () => {
    vi.resetModules()
    vi.useFakeTimers()
    asked = []
    status = 200
    vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
      const { urls } = JSON.parse(body)
      asked.push(urls)
      const paths = urls.map((url: string) => (url.includes('elsewhere') ? url : `/img/logo?url=${url}`))
      return new Response(JSON.stringify({ paths }), { status })
    })
    vi.stubGlobal('localStorage', { getItem: () => SESSION, setItem() {}, removeItem() {} })
    logoPath = (await import('./logo-paths.ts')).logoPath
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it('are requested together, and once each', async () => {
    const paths = ['https://a.example/1', 'ipfs://b', 'https://a.example/1'].map(logoPath)
    await vi.advanceTimersByTimeAsync(2_000)

    expect(await Promise.all(paths)).toEqual([
      '/img/logo?url=https://a.example/1',
      '/img/logo?url=ipfs://b',
      '/img/logo?url=https://a.example/1',
    ])
    expect(asked).toEqual([['https://a.example/1', 'ipfs://b']])
  })

  it('are only those of our own proxy', async () => {
    const path = logoPath('https://elsewhere.example/1')
    await vi.advanceTimersByTimeAsync(2_000)

    expect(await path).toBeUndefined()
  })

  it('are not requested for invalid logos', async () => {
    expect(await logoPath('data:image/png;base64,AA')).toBeUndefined()
    expect(await logoPath(`https://a.example/${'x'.repeat(3_000)}`)).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2_000)

    expect(asked).toEqual([])
  })

  it('are the page’s own for SOL and the stable coins, without a request', async () => {
    for (const mint of QUOTE_MINTS) {
      const { logo } = builtInFace(mint)!
      expect(await logoPath(logo)).toBe(logo)
      expect(existsSync(new URL(`../../../../public${logo}`, import.meta.url))).toBe(true)
    }
    expect(await logoPath('//elsewhere.example/quote-SOL.svg')).toBeUndefined()
  })

  // Guards a newly opened page: its rows show many new tokens at once.
  it('are requested fifty at a time, the newest first, and none of a hundred is omitted', async () => {
    const paths = Array.from({ length: 105 }, (_, number) => logoPath(`https://a.example/${number}`))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked.map((urls) => urls.at(-1))).toEqual(['https://a.example/99'])
    await vi.advanceTimersByTimeAsync(2_000)

    expect(asked.map((urls) => urls.length)).toEqual([50, 50])
    const found = await Promise.all(paths)
    expect(found.slice(0, 100).every(Boolean)).toBe(true)
    expect(found.slice(100).some(Boolean)).toBe(false)
  })

  it('are not requested again from a server without a proxy', async () => {
    status = 404
    void logoPath('https://a.example/1')
    await vi.advanceTimersByTimeAsync(2_000)

    expect(await logoPath('https://a.example/2')).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked).toHaveLength(1)
  })
})

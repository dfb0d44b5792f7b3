import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let kept: Map<string, string>

beforeEach(() => {
  vi.resetModules()
  kept = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

const load = () => import('./saved-requests.ts')

describe('saved requests', () => {
  it('are saved by name, the latest first, and removed on request', async () => {
    const { saveRequest, forgetRequest } = await load()
    saveRequest('one', '{"a":1}')
    saveRequest(' two ', '{"b":1}')
    saveRequest('one', '{"a":2}')
    saveRequest('   ', 'nothing')
    forgetRequest('two')

    vi.resetModules()
    const { savedRequests } = await load()
    expect(savedRequests.read()).toEqual([{ name: 'one', text: '{"a":2}' }])
  })

  it('ignore invalid entries', async () => {
    kept.set('console.saved', '[1,null,{"name":1,"text":""},{"name":"x","text":"y"}]')
    expect((await load()).savedRequests.read()).toEqual([{ name: 'x', text: 'y' }])

    vi.resetModules()
    kept.set('console.saved', 'no json')
    expect((await load()).savedRequests.read()).toEqual([])
  })

  it('can be shared as a link, unless they are too long for one', async () => {
    const { requestLink } = await load()
    const text = '{"a": "ä&=#+"}\n'

    const link = requestLink(text, 'https://x')!
    expect(new URL(link).searchParams.get('request')).toBe(text)
    expect(requestLink('x'.repeat(9_000), 'https://x')).toBeUndefined()
  })
})

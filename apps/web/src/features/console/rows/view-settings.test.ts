import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let root: Record<string, string>
let kept: Map<string, string>

beforeEach(() => {
  root = {}
  kept = new Map()
  vi.resetModules()
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  vi.stubGlobal('document', { documentElement: { dataset: root } })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('how the console looks', () => {
  it('is teal and copper in compact rows by default', async () => {
    await import('./view-settings.ts')

    expect(root).toEqual({ colours: 'teal', density: 'compact', chart: 'picture' })
  })

  it('has comfortable rows on touch devices', async () => {
    vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(pointer: coarse)' }))

    const { density } = await import('./view-settings.ts')

    expect(density.read()).toBe('comfortable')
  })

  it('is set on the page and remembered', async () => {
    const { colours, density } = await import('./view-settings.ts')

    colours.write('mono')
    density.write('comfortable')

    expect(root).toEqual({ colours: 'mono', density: 'comfortable', chart: 'picture' })
    expect(Object.fromEntries(kept)).toEqual({ 'console.colours': 'mono', 'console.density': 'comfortable' })
  })

  it('is restored, and the default if the stored value is invalid', async () => {
    kept.set('console.colours', 'green')
    kept.set('console.density', 'tiny')

    const { colours, density } = await import('./view-settings.ts')

    expect([colours.read(), density.read()]).toEqual(['green', 'compact'])
  })

  it('lasts for the visit if storage is unavailable', async () => {
    vi.stubGlobal('localStorage', undefined)
    const { colours } = await import('./view-settings.ts')

    colours.write('green')

    expect(root.colours).toBe('green')
  })
})

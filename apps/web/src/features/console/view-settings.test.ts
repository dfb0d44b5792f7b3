import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let root: Record<string, string>
let kept: Map<string, string>

beforeEach(() => {
  root = {}
  kept = new Map()
  vi.resetModules()
  vi.stubGlobal('document', { documentElement: { dataset: root } })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('how the console looks', () => {
  it('is teal and copper in compact rows until something else is chosen', async () => {
    await import('./view-settings.ts')

    expect(root).toEqual({ colours: 'teal', density: 'compact' })
  })

  it('is written on the page and remembered', async () => {
    const { colours, density } = await import('./view-settings.ts')

    colours.write('mono')
    density.write('comfortable')

    expect(root).toEqual({ colours: 'mono', density: 'comfortable' })
    expect(Object.fromEntries(kept)).toEqual({ 'console.colours': 'mono', 'console.density': 'comfortable' })
  })

  it('is as it was left, and the usual where what was kept is no choice', async () => {
    kept.set('console.colours', 'green')
    kept.set('console.density', 'tiny')

    const { colours, density } = await import('./view-settings.ts')

    expect([colours.read(), density.read()]).toEqual(['green', 'compact'])
  })

  it('holds for the visit where storage is closed', async () => {
    vi.stubGlobal('localStorage', undefined)
    const { colours } = await import('./view-settings.ts')

    colours.write('green')

    expect(root.colours).toBe('green')
  })
})

import { expect, it, vi } from 'vitest'

/** Every module of the dashboard, but those that start it or its worker. */
const MODULES = import.meta.glob(['./**/*.{ts,tsx}', '!**/*.test.{ts,tsx}', '!**/{main.tsx,*.worker.ts}'])

// A page sets the figures once, when its first modules were loaded: what was read before would be ours for ever.
it('no module of the dashboard reads a figure of a plan while it is loaded', async () => {
  vi.resetModules()
  const element = {
    classList: { add() {}, toggle() {} },
    dataset: {},
    style: {},
    setAttribute() {},
    append() {},
  }
  const page = {
    ...{
      addEventListener() {},
      matchMedia: () => ({ addEventListener() {} }),
      location: new URL('http://localhost/'),
    },
    ...{
      querySelector: () => null,
      getElementById: () => ({ textContent: '{}' }),
      createElement: () => element,
      documentElement: element,
      title: 'Pairwire',
    },
    ...{ localStorage: { getItem: () => null }, sessionStorage: { getItem: () => null } },
  }
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync() {}
    },
  )
  vi.stubGlobal('navigator', { platform: '', userAgent: '' })
  for (const name of [
    'window',
    'document',
    'localStorage',
    'sessionStorage',
    'addEventListener',
    'location',
    'matchMedia',
  ])
    vi.stubGlobal(name, name in page ? page[name as keyof typeof page] : page)
  const { PLANS, TRIAL } = await import('@pairwire/contract/plans')
  const readers: string[] = []
  for (const figures of [...PLANS, TRIAL]) {
    for (const [name, value] of Object.entries(figures)) {
      const get = () => {
        readers.push(new Error(name).stack ?? name)
        return value
      }
      if (name !== 'id') Object.defineProperty(figures, name, { get })
    }
  }

  for (const load of Object.values(MODULES)) await load()

  expect(readers).toEqual([])
  vi.unstubAllGlobals()
  vi.resetModules()
})

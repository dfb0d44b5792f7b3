/// <reference types="vite/client" />

import { expect, it, vi } from 'vitest'

/**
 * Every module of ours on the server, but those that do their work when they are loaded, what only tests have, and the street
 * before the gateways, which knows of no plans.
 */
const MODULES = import.meta.glob([
  '../../{api,archiver,gateway,standalone}/src/**/*.{ts,tsx}',
  '../../../packages/{accounts,archive,contract,filter,process}/src/**/*.ts',
  '!**/*.{test,suite}.{ts,tsx}',
  '!**/{testing,kept-by-*}/**',
  '!**/{main,pairwire,command,*-child,*-worker,*worker}.ts',
])

// A start sets the figures once, after its modules were loaded: what was read before would be ours for ever.
it('no module reads a figure of a plan while it is loaded', async () => {
  vi.resetModules()
  const { PLANS, TRIAL } = await import('@pairwire/contract/plans')
  const readers: string[] = []
  for (const figures of [...PLANS, TRIAL]) {
    for (const [name, value] of Object.entries(figures)) {
      if (name === 'id') continue
      const get = () => {
        readers.push(new Error(name).stack ?? name)
        return value
      }
      Object.defineProperty(figures, name, { get })
    }
  }

  for (const load of Object.values(MODULES)) await load()

  expect(Object.keys(MODULES).length).toBeGreaterThan(300)
  expect(readers).toEqual([])
  vi.resetModules()
})

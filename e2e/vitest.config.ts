import { defineConfig } from 'vitest/config'
import { WaitsFirst } from './waits-first.ts'

// One service is started for the whole run, and one browser in each of four workers; the files share them.
// A browser on a machine that runs everything at once is sometimes late beyond any bound: a test that fails is run once
// more, and one that passes only then is named at the end.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./shared-service.ts'],
    // A wait for a page or a service ends earlier, and says for what. Longer stories have a time of their own.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: 1,
    // What is waited for comes in no time on a quiet machine, and late on one that runs everything at once.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    isolate: false,
    // Of four files one mostly waits for a process; with two pages at a time in each, as many as keep two cores busy.
    maxWorkers: 4,
    maxConcurrency: 2,
    sequence: { sequencer: WaitsFirst },
  },
})

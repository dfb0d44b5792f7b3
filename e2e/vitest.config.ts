import { defineConfig } from 'vitest/config'

// One service is started for the whole run, and one browser in each of two workers; the files share them.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./shared-service.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes in no time on a quiet machine, and late on one that runs everything at once.
    expect: { poll: { timeout: 10_000 } },
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
  },
})

import { defineConfig } from 'vitest/config'

// One service is started for the whole run; files share it and run side by side, one process each.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./shared-service.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})

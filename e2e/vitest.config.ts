import { defineConfig } from 'vitest/config'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import { SOON_MS, STORY_MS, TEST_MS } from './story-time.ts'
import { WaitsFirst } from './waits-first.ts'

// One service is started for the whole run, and one browser in each worker; the files share them. On a busy machine
// a browser is sometimes late beyond any bound: a failed test is run once more, and one that passes only then is named at the
// end.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./shared-service.ts'],
    // A wait for a page or a service ends earlier, and names what is missing. Longer stories have their own timeout.
    testTimeout: TEST_MS,
    hookTimeout: STORY_MS,
    retry: 1,
    expect: { poll: { timeout: SOON_MS } },
    pool: 'forks',
    execArgv: [...QUICK_NODE],
    isolate: false,
    // Of four files one mostly waits for a process; two pages at a time in each of the others keep two cores busy. With five
    // workers it takes longer.
    maxWorkers: 4,
    maxConcurrency: 2,
    sequence: { sequencer: WaitsFirst },
  },
})

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { QUICK_NODE } from './packages/basics/src/testing/quick-node.ts'

const ALL = ['packages/*/src', 'apps/*/src', 'scripts', 'deploy'].map(testsBelow)

/** In processes of their own: the api's keep a database for all their files, the pages' put things in place of globals. */
const API = testsBelow('apps/api/src')
const WEB = testsBelow('apps/web/src')

/** Files that take longest, so that none of them is left alone at the end. */
const LONG = [
  'apps/ingest/src/sources/chain/torture.test.ts',
  'apps/ingest/src/sources/simulator/market.test.ts',
  'packages/accounts/src/accounts.pglite.test.ts',
  'apps/gateway/src/sdk-python.test.ts',
  'apps/api/src/webhooks/webhook-kills.test.ts',
  'packages/accounts/src/backup/backup-embedded.test.ts',
  'apps/archiver/src/archiver-kills.test.ts',
  'apps/gateway/src/sdk-torture.test.ts',
  'apps/gateway/src/sdk.test.ts',
].map((file) => join(import.meta.dirname, file))

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(LONG.includes(moduleId))
    return (await super.sort(files)).sort((one, other) => isLong(other) - isLong(one))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // Three times what a busy machine takes: CI has two slow cores. One that hangs is known by its title; those that take
    // longer say so.
    testTimeout: 120_000,
    // A machine may be late, and a test may race. One that passes only on its second run is named at the end of the run.
    retry: 1,
    hookTimeout: 120_000,
    // Arrives at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    execArgv: [...QUICK_NODE],
    // More than there are cores, since many files wait for a process, a disk or a socket. CI's cores are shared with others.
    maxWorkers: availableParallelism() + (process.env.CI ? 1 : 2),
    // Modules keep nothing, so one process runs one file after the other: a third less to compute.
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: 'plain', include: ALL, exclude: [...configDefaults.exclude, API, WEB] },
      },
      {
        extends: true,
        test: { name: 'api', include: [API], globalSetup: ['apps/api/src/testing/run-folder.ts'] },
      },
      { extends: true, test: { name: 'web', include: [WEB] } },
    ],
  },
})

function testsBelow(folder: string): string {
  return `${folder}/**/*.test.{ts,tsx}`
}

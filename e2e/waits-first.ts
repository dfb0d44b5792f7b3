import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that mostly wait for processes that they start and kill, the longest first. Between them stand the two longest with
 * pages, since four that wait leave a core idle. The torture starts a dozen processes at once, which must not happen while
 * `lifecycle` begins: a stopping service has little time for its dump.
 */
const FIRST = [
  'history.test.ts',
  'lifecycle.test.ts',
  'payment.test.ts',
  'live-chain.test.ts',
  'deployment/torture.test.ts',
  'deployment/compose.test.ts',
  'resume.test.ts',
  'pause.test.ts',
  'sdk-in-browser.test.ts',
  'pulse-load.test.ts',
  'room.test.ts',
  'webhooks.test.ts',
  'pulse.test.ts',
  'examples.test.ts',
  'backup.test.ts',
  'street.test.ts',
]

/**
 * Starts with the files that mostly wait, so that they overlap with those of pages, which compute, and none of them is left
 * alone at the end. The others follow by size, as they would without a memory of earlier runs.
 */
export class WaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.indexOf(relative(import.meta.dirname, moduleId).replaceAll('\\', '/'))
      return at < 0 ? FIRST.length : at
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that mostly wait, for processes that they start and kill or for events, the longest first. The torture starts a
 * dozen processes at once, which must not happen while `lifecycle` begins: a stopping service has little time for its dump.
 */
const WAITING = [
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
  'webhooks.test.ts',
  'pulse.test.ts',
  'examples.test.ts',
  'backup.test.ts',
  'street.test.ts',
]

/** Files at the beginning that start processes enough to keep both cores busy on their own. */
const BUSY = 8

/**
 * Starts with the files that mostly wait, so that none of them is left alone at the end, and after the busy ones alternates
 * them with those of pages, which compute. The others follow by size, as they would without a memory of earlier runs.
 */
export class WaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) =>
      WAITING.indexOf(relative(import.meta.dirname, moduleId).replaceAll('\\', '/'))
    const waiting = bySize.filter((file) => place(file) >= 0).sort((one, other) => place(one) - place(other))
    const others = bySize.filter((file) => place(file) < 0)
    const alternating = others.flatMap((file, at) => [...waiting.slice(BUSY + at, BUSY + at + 1), file])
    return [...waiting.slice(0, BUSY), ...alternating, ...waiting.slice(BUSY + others.length)]
  }
}

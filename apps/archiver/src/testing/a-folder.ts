import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of the test's own, with what a path may have in its name. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pairwire [a*r?]'chive-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

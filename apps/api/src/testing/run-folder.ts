import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder that is removed after the run, since files that a worker leaves open outlive its tests. */
    runFolder: string
  }
}

/** Creates the folder of one test run. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-api-'))
  project.provide('runFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

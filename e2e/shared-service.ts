import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { copyPgliteTemplate } from '../packages/accounts/src/testing/pglite-folders.ts'
import { readSecrets } from '../packages/process/src/secrets.ts'
import { root, startService } from './service.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serviceUrl: string
    streamUrl: string
    dataFolder: string
  }
}

/**
 * Builds what is stale, and starts the one service that most files share: the simulator at its default pace. First creates
 * the data folder of which every service of the tests gets a copy, with secrets and an empty database, since that takes
 * seconds of a core.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [join(root, 'scripts/prepare.mjs')], { stdio: 'inherit' })
  const template = mkdtempSync(join(tmpdir(), 'pairwire-template-'))
  readSecrets(template, { sessionSecret: undefined, keyEncryptionSecret: undefined }, false).keep()
  await copyPgliteTemplate(join(template, 'database'))
  process.env.PAIRWIRE_E2E_TEMPLATE = template

  const service = await startService()
  project.provide('serviceUrl', service.url)
  project.provide('streamUrl', service.streamUrl)
  project.provide('dataFolder', service.dataFolder)
  return async () => {
    await service.kill()
    rmSync(template, { recursive: true, force: true })
  }
}

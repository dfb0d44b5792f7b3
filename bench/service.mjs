import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * The whole service as `npm start` runs it, with a data folder of its own. `environment` adds to its settings; `PORT`
 * must be among them.
 */
export async function startService(environment) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-bench-'))
  const flags = ['--max-semi-space-size=4', '--v8-pool-size=1', '--heap-growing-percent=40']
  const child = spawn(process.execPath, [...flags, join(ROOT, 'scripts/start.mjs')], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dataFolder, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('Pairwire is ready')) break
  }
  child.stdout.resume()
  return {
    url: `http://localhost:${environment.PORT}`,
    pid: child.pid,
    dataFolder,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { freePort } from '../packages/basics/src/testing/free-port.ts'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import { READY_MS } from './story-time.ts'

/** Folder of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** Ends a service whose test is gone: a killed test could not stop what it had started. */
const ENDS_WITH_ITS_TEST =
  "data:text/javascript,process.once('disconnect',()=>process.kill(process.pid));process.channel?.unref()"

/** A service in a separate process, started like `npm start`, with its own data folder. */
export type Service = Readonly<{
  url: string
  streamUrl: string
  dataFolder: string
  process: ChildProcess
  /** Its output so far. */
  output(): string
  /** Sends SIGTERM and waits for the end; a given data folder stays. */
  stop(): Promise<number | null>
  /** Sends SIGKILL and waits for the end, without the dump of the database; a given data folder stays. */
  kill(): Promise<void>
}>

/** Starts the built service. @throws Error with all its output if it ends before it is ready */
export async function startService(
  environment: Record<string, string> = {},
  options: { dataFolder?: string; command?: [string, ...string[]]; cwd?: string } = {},
): Promise<Service> {
  const port = environment.PORT ?? String(await freePort())
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
  const template = process.env.PAIRWIRE_E2E_TEMPLATE
  if (template && readdirSync(dataFolder).length === 0) cpSync(template, dataFolder, { recursive: true })

  // The test run has built it: checking for stale builds at every start takes a fifth of a second of a core.
  const script = template ? 'apps/standalone/dist/main.js' : 'scripts/start.mjs'
  const [file, ...args] = options.command ?? [
    process.execPath,
    ...QUICK_NODE,
    '--import',
    ENDS_WITH_ITS_TEST,
    join(root, script),
  ]
  const child = spawn(file, args, {
    cwd: options.cwd ?? root,
    env: {
      ...cleanEnvironment(),
      PORT: port,
      DATA_DIR: dataFolder,
      AUTH_RATE_PER_ADDRESS: '1000',
      ...environment,
      SOLANA_SOURCE: withoutHistory(environment.SOLANA_SOURCE),
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.command ? [] : ['ipc' as const])],
  }) as ChildProcessByStdio<null, Readable, Readable>
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit').then(([status]) => status as number | null)

  let tooLate: NodeJS.Timeout | undefined
  await new Promise<void>((resolve, reject) => {
    tooLate = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`Not ready in time:\n${output}`))
    }, READY_MS)
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`
      if (line.startsWith('Pairwire is ready at ')) resolve()
    })
    ended.then((status) => reject(new Error(`Ended with ${status} before it was ready:\n${output}`)))
    child.once('error', reject)
  }).finally(() => clearTimeout(tooLate))

  const forget = () => {
    if (!options.dataFolder) rmSync(dataFolder, { recursive: true, force: true })
  }

  return {
    url: `http://localhost:${port}`,
    streamUrl: `ws://localhost:${port}/`,
    dataFolder,
    process: child,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      const status = await ended
      forget()
      return status
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
      forget()
    },
  }
}

/** Simulating the past before its start takes half a minute of a core; a test that needs it enables it. */
function withoutHistory(source = 'simulator'): string {
  if (!source.startsWith('simulator') || source.includes('history=')) return source
  return `${source}${source.includes('?') ? '&' : '?'}history=0`
}

/** Our environment without settings of the service: the tests set everything it should know. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  // VITEST keeps a `.env` of the checkout out.
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot', 'VITEST']
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]))
}

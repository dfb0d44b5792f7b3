import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'
import {
  createPostgresDatabase,
  type PostgresServer,
  startPostgres,
} from '../../packages/accounts/src/testing/postgres-server.ts'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { QUICK_NODE } from '../../packages/basics/src/testing/quick-node.ts'
import type { NatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { root } from '../service.ts'
import { READY_MS } from '../story-time.ts'
import { type CutLine, openCutLine } from './cut-line.ts'
import { PASSWORDS, startShippedNats } from './shipped-nats.ts'

/** One process of the deployment. */
export type Part = Readonly<{
  name: string
  port: number
  url: string
  output(): string
  isRunning(): boolean
  /** Starts it; resolves once it reports that it is ready. @throws Error with its output if it ends before */
  start(): Promise<void>
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}>

/** The services of `deploy/compose.yaml` as processes, with servers on this machine. */
export type Deployment = Readonly<{
  parts: ReadonlyMap<string, Part>
  nats: NatsServer
  postgres: PostgresServer
  lines: Readonly<{ nats: CutLine; postgres: CutLine }> | undefined
  /** Connections that bypass the proxies. */
  databaseUrl: string
  natsUrl: string
  gateways(): Part[]
  /** The `DATA_DIR` of a part. */
  folderOf(name: string): string
  stop(): Promise<void>
}>

/** A service as in the file, with its shared parts merged in. */
type ComposeService = Readonly<{
  image: string
  command?: readonly string[]
  environment?: Readonly<Record<string, string>>
}>

/** Reads `deploy/compose.yaml` with `variables` for `${NAME}`. @throws Error for a missing required variable */
export function readCompose(variables: Readonly<Record<string, string>>): Record<string, ComposeService> {
  const text = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
  const { services } = parse(text, { merge: true })
  return JSON.parse(JSON.stringify(services), (_key, value) =>
    typeof value === 'string' ? withVariables(value, variables) : value,
  )
}

/** The command of every container, from the Dockerfile. */
export function entrypoint(): string[] {
  const file = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  return JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(file)![1]!)
}

/**
 * Starts PostgreSQL, NATS and all our services; `cuttable` puts proxies that can be cut before both servers, `environment`
 * adds to the file's.
 */
export async function startDeployment(
  variables: Readonly<Record<string, string>>,
  {
    cuttable = false,
    environment: more = {},
  }: { cuttable?: boolean; environment?: Readonly<Record<string, string>> } = {},
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-deployment-'))
  const [postgres, nats] = await Promise.all([startPostgres(), startShippedNats()])
  const { url: databaseUrl } = await createPostgresDatabase(postgres.adminUrl)
  const lines = cuttable
    ? { nats: await openCutLine(nats.port), postgres: await openCutLine(postgres.socket) }
    : undefined
  const natsPort = lines?.nats.port ?? nats.port
  const databaseName = new URL(databaseUrl).pathname
  const partsDatabase = lines
    ? `postgresql://postgres@127.0.0.1:${lines.postgres.port}${databaseName}`
    : databaseUrl
  const services = readCompose({ ...PASSWORDS, ...variables })
  const command = entrypoint()

  const parts = new Map<string, Part>()
  for (const [name, service] of Object.entries(services)) {
    if (!service.image.startsWith('pairwire:')) continue
    const port = await freePort()
    const environment = {
      ...service.environment,
      ...more,
      // Hosts and ports are those of this machine; nothing else differs from the file.
      ...(service.environment?.NATS_URL && {
        NATS_URL: service.environment.NATS_URL.replace('nats:4222', `127.0.0.1:${natsPort}`),
      }),
      ...(service.environment?.DATABASE_URL && { DATABASE_URL: partsDatabase }),
      PUBLIC_URL: variables.PUBLIC_URL ?? service.environment?.PUBLIC_URL ?? '',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: join(folder, name),
      // Its folder is in the container only.
      BRAND_DIR: '',
      ...(service.environment?.BACKUP_DIR && { BACKUP_DIR: join(folder, 'backups') }),
      ...(service.environment?.ARCHIVE_URL && { ARCHIVE_URL: more.ARCHIVE_URL ?? join(folder, 'archive') }),
    }
    parts.set(name, createPart(name, port, [...command, ...(service.command ?? [])], environment))
  }
  const start = async () => {
    // They start in parallel.
    await Promise.all([...parts.values()].map((part) => part.start()))
  }
  const stop = async () => {
    await Promise.all([...parts.values()].map((part) => part.end('SIGKILL')))
    await Promise.all([lines?.nats.close(), lines?.postgres.close()])
    await Promise.all([nats.stop(), postgres.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
  await start().catch(async (error) => {
    await stop()
    throw error
  })
  return {
    parts,
    nats,
    postgres,
    lines,
    databaseUrl,
    natsUrl: nats.url.replace('nats://', 'nats://whole:secret@'),
    gateways: () => [...parts.values()].filter(({ name }) => name.startsWith('gateway')),
    folderOf: (name) => join(folder, name),
    stop,
  }
}

/** A process of ours that has not started yet. */
export function createPart(
  name: string,
  port: number,
  [file = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Part {
  let child: ChildProcess | undefined
  let output = ''
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null

  return {
    name,
    port,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    isRunning,
    async start() {
      const { PATH = '', HOME = '', VITEST = '' } = process.env
      const env = { PATH, HOME, VITEST, ...environment }
      // Like every process of the tests; the container's own flags, which save memory, follow and win.
      const [program, flags] = file === 'node' ? [process.execPath, QUICK_NODE] : [file, []]
      const own = spawn(program, [...flags, ...args], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = own
      const endWithUs = () => own.kill('SIGKILL')
      process.once('exit', endWithUs)
      own.once('exit', () => process.off('exit', endWithUs))
      own.stderr.on('data', (chunk) => (output += chunk))
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${name} is not ready:\n${output}`)), READY_MS)
        createInterface({ input: own.stdout }).on('line', (line) => {
          output += `${line}\n`
          if (/ is (ready|running) at /.test(line)) resolve()
        })
        own.once('exit', (status) => reject(new Error(`${name} ended with ${status}:\n${output}`)))
        own.once('error', reject)
        own.once('exit', () => clearTimeout(timer))
        void once(own, 'spawn')
      })
    },
    async end(signal) {
      if (!child || !isRunning()) return child?.exitCode ?? null
      const gone = once(child, 'exit')
      child.kill(signal)
      const [status] = await gone
      return status as number | null
    },
  }
}

function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind?: string, rest?: string) => {
      const value = variables[name]
      if (value) return value
      if (kind === '?') throw new Error(`${name}: ${rest}`)
      return kind === '-' ? (rest ?? '') : ''
    },
  )
}

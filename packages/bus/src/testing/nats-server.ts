import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@pairwire/basics/testing/free-port'

/** A nats-server on this machine, with its own process and folder. */
export type NatsServer = Readonly<{
  /** `nats://127.0.0.1:port`. */
  url: string
  port: number
  /** The folder of its data. */
  folder: string
  pid(): number
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Starts it again on the same port and folder. */
  start(): Promise<void>
  /** Ends it for good, and removes its folder. */
  stop(): Promise<void>
}>

/** Returns why there is no nats-server; undefined if there is one. */
export function whyNoNatsServer(): string | undefined {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no nats-server on the PATH (apt-get install nats-server)'
  }
}

/** Starts one with JetStream. `settings` are lines of its configuration, or all of it if the data is in `/data`. */
export async function startNatsServer(
  settings = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-nats-'))
  const port = await freePort()
  const config = join(folder, 'nats.conf')
  writeFileSync(
    config,
    // Without a limit it takes three quarters of the free space, which other tests need too.
    `host: 127.0.0.1\nport: ${port}\nlog_file: "${folder}/log"\n${
      settings.includes('store_dir: /data')
        ? settings.replace('store_dir: /data', `store_dir: "${folder}"`)
        : `jetstream { store_dir: "${folder}", max_file_store: 100GB }\n${settings}`
    }\n`,
  )
  let child: ChildProcess | undefined

  const start = async () => {
    child = spawn('nats-server', ['-c', config], { stdio: 'ignore', env: { ...process.env, ...environment } })
    for (let tries = 0; !(await isReady(folder)); tries++) {
      if (tries > 200 || child.exitCode !== null) {
        throw new Error(`nats-server did not start: ${readFileSync(join(folder, 'log'), 'utf8')}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(join(folder, 'log'), { force: true })
  }
  const endWithUs = () => void child?.kill('SIGKILL')
  process.once('exit', endWithUs)
  await start()

  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    pid: () => child?.pid ?? 0,
    kill,
    start,
    async stop() {
      await kill()
      process.off('exit', endWithUs)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isReady(folder: string): Promise<boolean> {
  try {
    return readFileSync(join(folder, 'log'), 'utf8').includes('Server is ready')
  } catch {
    return false
  }
}

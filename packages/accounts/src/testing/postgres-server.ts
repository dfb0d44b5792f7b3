import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'

/** The folder in which Debian keeps the programs of each major version. */
const DISTRIBUTION = '/usr/lib/postgresql'

/** Whether {@link startPostgres} can work here. */
export function hasPostgres(): boolean {
  return binaries() !== undefined
}

/** A PostgreSQL server for one test. */
export type PostgresServer = Readonly<{
  adminUrl: string
  /** Path of its socket. */
  socket: string
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Starts it again with all its data. */
  start(): Promise<void>
  /** Ends it for good, and removes its folder. */
  stop(): Promise<void>
}>

/** Starts a throwaway PostgreSQL that listens on a socket in a temporary folder only. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = binaries()
  if (bin === undefined) throw new Error(`no PostgreSQL under ${DISTRIBUTION}`)
  const folder = join(tmpdir(), `pairwire-pg-${randomUUID().slice(0, 8)}`)
  const options = makeFolder(folder)
  const data = join(folder, 'data')
  execFileSync('cp', ['-R', templateData(bin), data], options)
  const adminUrl = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`
  const settings = ['listen_addresses=', 'fsync=off', 'log_min_messages=fatal'].flatMap((one) => ['-c', one])
  let server: ChildProcess
  const start = async () => {
    for (const giveUpMs = Date.now() + 20_000; ; ) {
      server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, ...settings], {
        ...options,
        stdio: 'ignore',
      })
      try {
        return await untilItAnswers(server, adminUrl, giveUpMs)
      } catch (error) {
        // A process of one that was killed may still hold its memory.
        if (!hasEnded(server) || Date.now() > giveUpMs) throw error
      }
    }
  }
  await start()

  return {
    adminUrl,
    socket: join(folder, '.s.PGSQL.5432'),
    start,
    async kill() {
      const ended = once(server, 'exit')
      // With its child processes, which would end by themselves, but not before the next start. It forks no more of them.
      server.kill('SIGSTOP')
      const children = execFileSync('ps', ['--ppid', String(server.pid), '-o', 'pid=']).toString()
      for (const pid of [server.pid!, ...children.split(/\s+/).filter(Boolean).map(Number)]) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
      }
      await ended
      rmSync(join(data, 'postmaster.pid'), { force: true })
    },
    stop: async () => {
      if (!hasEnded(server)) {
        const ended = once(server, 'exit')
        // Fast shutdown. @see https://www.postgresql.org/docs/current/server-shutdown.html
        server.kill('SIGINT')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Makes a folder for PostgreSQL, which refuses to run as root. @returns as whom and where to run its programs */
function makeFolder(folder: string): { cwd: string; uid?: number; gid?: number } {
  mkdirSync(folder, { mode: 0o700 })
  const owner = process.getuid?.() === 0 ? postgresUser() : undefined
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return { cwd: folder, ...owner }
}

/** The data of a new server. The first call on a machine makes it; a copy takes a tenth of that. */
function templateData(bin: string): string {
  const template = join(tmpdir(), `pairwire-pg-template-${bin.replaceAll('/', '-')}`)
  if (existsSync(template)) return join(template, 'data')

  const made = `${template}.${randomUUID()}`
  execFileSync(
    join(bin, 'initdb'),
    ['-D', join(made, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    makeFolder(made),
  )
  try {
    renameSync(made, template)
  } catch {
    // Another process was faster.
    rmSync(made, { recursive: true, force: true })
  }
  return join(template, 'data')
}

/** A new empty database on the server at `adminUrl`. */
export async function createPostgresDatabase(
  adminUrl: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `pairwire_test_${randomUUID().replaceAll('-', '')}`
  await runSql(adminUrl, `create database ${name}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runSql(adminUrl, `drop database ${name} with (force)`) }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null
}

async function untilItAnswers(server: ChildProcess, url: string, giveUpMs: number): Promise<void> {
  for (;;) {
    try {
      return await runSql(url, 'select 1')
    } catch (error) {
      if (hasEnded(server) || Date.now() > giveUpMs) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function binaries(): string | undefined {
  if (!existsSync(DISTRIBUTION)) return undefined
  return readdirSync(DISTRIBUTION)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(DISTRIBUTION, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** The user that the distribution creates for PostgreSQL. */
function postgresUser(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error('the user postgres does not exist')
  return { uid: Number(uid), gid: Number(gid) }
}

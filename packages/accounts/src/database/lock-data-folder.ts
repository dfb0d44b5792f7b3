import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { codeOf, makeFolder, readObject } from '@pairwire/basics'
import { socketPath } from './socket-path.ts'

/** A held data folder. */
export type DataFolderLock = Readonly<{
  /** Releases the folder; does nothing when called again. */
  release(): void
}>

/** The name of a file that marks a data folder into which a restore has not come to its end. */
export const UNFINISHED = 'restore-unfinished'

/**
 * The holder of a lock: the file of the socket it listens on, for people its process and machine, and whether it finishes
 * within seconds.
 */
type Holder = Readonly<{ socket: string; pid: number; host: string; isBrief?: boolean }>

/** Milliseconds within which one of several processes must have taken the folder; a brief one needs 20 s on a busy machine. */
const PATIENCE_MS = 60_000

/** Milliseconds between two checks while another process takes over a stale lock, or will soon release its own. */
const LOOK_EVERY_MS = 5

/** Milliseconds for the system to report whether anybody listens on a socket. */
const CONNECT_TIMEOUT_MS = 2_000

/** Errors of connecting to a socket when nobody listens on it any more, or to a file that is not a socket. */
const NOBODY_LISTENS = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENOTDIR']

/**
 * Takes `folder` for this process alone, or fails with a sentence that names the holder. Creates a missing folder. Waits for
 * a holder that `isBrief`, such as the operator's tool: it finishes within seconds.
 *
 *     a listening socket                     the sign of life: the system closes it with the process
 *     private file --link()--> lock          names the socket. Atomic: of many starters one succeeds
 *     lock exists, its socket answers        refused
 *     lock exists, its socket is dead        private file --link()--> lock.after-<hash of the stale lock>:
 *                                            again one succeeds, and it alone renames its file over the lock
 *
 * Process ids play no part, so two containers that share the folder but cannot see each other's processes are kept apart too.
 *
 * Each lock's text is unique, so a claim on a stale lock that was replaced meanwhile is recognised as void. A process that
 * dies between claim and rename leaves a claim that can be claimed in turn, so a lock left behind by SIGKILL blocks nobody.
 *
 * @throws Error that names the folder and the process, of the code EBUSY
 */
export async function lockDataFolder(folder: string, isBrief = false): Promise<DataFolderLock> {
  makeFolder(folder)
  const lock = join(folder, 'lock')
  // Before the lock names it: a holder that does not listen yet would be taken for dead.
  const sign = await listen(folder)
  const mine = `${lock}.${randomUUID()}`
  const about: Holder = { socket: sign.socket, pid: process.pid, host: hostname(), isBrief }
  const me = JSON.stringify({ ...about, id: randomUUID() })
  let isHeld = false
  let fault = `Several processes tried to use the data folder ${folder} at once; try again.`

  writeFileSync(mine, me, { mode: 0o600, flush: true })
  try {
    for (const startedMs = performance.now(); performance.now() - startedMs < PATIENCE_MS; ) {
      isHeld = tryLink(mine, lock)
      if (isHeld) break

      const text = readIfThere(lock)
      if (text === undefined) continue
      const holder = readHolder(text)
      if (holder && (await isAlive(folder, holder))) {
        fault = inUse(folder, holder)
        if (!holder.isBrief) break
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
        continue
      }
      isHeld = await takeOver(folder, text, mine)
      if (isHeld) break
    }
    if (!isHeld) throw Object.assign(new Error(fault), { code: 'EBUSY' })
  } finally {
    rmSync(mine, { force: true })
    if (!isHeld) sign.end()
  }

  return {
    release: () => {
      if (readIfThere(lock) === me) rmSync(lock, { force: true })
      sign.end()
    },
  }
}

/** Replaces the lock with text `stale` by `mine`. @returns whether this process did */
async function takeOver(folder: string, stale: string, mine: string): Promise<boolean> {
  const lock = join(folder, 'lock')
  const claims: string[] = []
  const dead: string[] = []
  for (let text = stale; ; ) {
    const claim = `${lock}.after-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    claims.push(claim)
    dead.push(text)
    if (tryLink(mine, claim)) break

    const other = readIfThere(claim)
    if (other === undefined) return false
    const claimant = readHolder(other)
    if (claimant && (await isAlive(folder, claimant))) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      return false
    }
    text = other
  }

  const isMine = readIfThere(lock) === stale
  if (isMine) {
    renameSync(mine, lock)
    for (const text of dead) removeSocket(folder, text)
  }
  // Order matters: as long as the claim on the stale lock exists, nobody else can make it.
  for (const claim of claims.reverse()) rmSync(claim, { force: true })
  return isMine
}

/** Listens on a socket of a new name in `folder` until `end` is called or the process ends. */
async function listen(folder: string): Promise<{ socket: string; end(): void }> {
  const socket = `lock.${randomBytes(4).toString('hex')}`
  const path = socketPath(folder, socket)
  // An accepted connection is the answer.
  const server = createServer((caller) => caller.destroy())
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } catch (error) {
    throw new Error(
      `DATA_DIR: no socket can be made in ${folder} (${codeOf(error)}); use a folder on a disk of this machine.`,
    )
  }
  server.unref()
  server.on('error', () => {})
  if (process.platform !== 'win32') chmodSync(path, 0o600)

  return {
    socket,
    end: () => {
      server.close()
      if (process.platform !== 'win32') rmSync(path, { force: true })
    },
  }
}

/** Whether anybody listens on the holder's socket. If unsure, it counts as alive: two holders would be worse than none. */
function isAlive(folder: string, holder: Holder): Promise<boolean> {
  return new Promise((resolve) => {
    const caller = connect(socketPath(folder, holder.socket))
    const settle = (answer: boolean) => {
      caller.destroy()
      resolve(answer)
    }
    caller.setTimeout(CONNECT_TIMEOUT_MS, () => settle(true))
    caller.once('connect', () => settle(true))
    caller.once('error', (error) => settle(!NOBODY_LISTENS.includes(codeOf(error) ?? '')))
  })
}

function removeSocket(folder: string, text: string): void {
  const holder = readHolder(text)
  if (holder && process.platform !== 'win32') rmSync(join(folder, holder.socket), { force: true })
}

function inUse(folder: string, { pid, host }: Holder): string {
  const where = host === hostname() ? '' : ` on ${host}`
  return `The data folder ${folder} is in use by process ${pid}${where}; stop it first.`
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function readHolder(text: string): Holder | undefined {
  const { socket, pid, host, isBrief } = readObject(text) ?? {}
  if (typeof socket !== 'string' || !/^lock\.[0-9a-f]{8}$/.test(socket)) return undefined
  if (typeof pid !== 'number' || typeof host !== 'string') return undefined
  return { socket, pid, host, isBrief: isBrief === true }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

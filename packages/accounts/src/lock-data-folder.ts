import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** A held data folder. */
export type DataFolderLock = Readonly<{
  /** Gives the folder back; does nothing when called again. */
  release(): void
}>

/** Who holds a lock. A process id alone comes again: with its start time and the boot's id it does not. */
type Holder = Readonly<{ pid: number; startedAt: string; boot: string }>

/** Milliseconds in which a folder that several processes want must have found its owner. */
const PATIENCE_MS = 5_000

/** Milliseconds between two looks while another process takes a stale lock over. */
const LOOK_EVERY_MS = 5

/**
 * Takes `folder` for this process alone, or says in one sentence who has it. The folder is made when missing.
 *
 *     private file --link()--> lock          atomic: of many starters one succeeds
 *     lock exists, its holder lives          refused
 *     lock exists, its holder is gone        private file --link()--> lock.after-<hash of the stale lock>:
 *                                            again one succeeds, and it alone renames its file over the lock
 *
 * A lock's text never comes twice, so a claim on a stale one that has been replaced meanwhile is seen to be
 * worth nothing. A process that dies between claim and rename leaves a claim that can be claimed in turn.
 * What SIGKILL leaves behind is thus nobody's, and not in the way.
 *
 * @throws Error that names the folder and the process
 */
export function lockDataFolder(folder: string): DataFolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = join(folder, 'lock')
  const id = randomUUID()
  const mine = `${lock}.${id}`
  const me = JSON.stringify({ pid: process.pid, startedAt: startOf(process.pid) ?? '', boot: bootId(), id })

  writeFileSync(mine, me, { mode: 0o600, flush: true })
  try {
    for (const giveUpMs = Date.now() + PATIENCE_MS; Date.now() < giveUpMs; ) {
      if (tryLink(mine, lock)) return { release: () => release(lock, me) }

      const text = readIfThere(lock)
      if (text === undefined) continue
      const holder = readHolder(text)
      if (holder && isRunning(holder)) {
        throw new Error(`The data folder ${folder} is in use by process ${holder.pid}; stop it first.`)
      }
      if (takeOver(lock, text, mine)) return { release: () => release(lock, me) }
    }
    throw new Error(`The data folder ${folder} is wanted by several processes at once; try again.`)
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Puts `mine` in the place of a lock that reads `stale`. @returns whether it was this process that did */
function takeOver(lock: string, stale: string, mine: string): boolean {
  const claims: string[] = []
  for (let text = stale; ; ) {
    const claim = `${lock}.after-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    claims.push(claim)
    if (tryLink(mine, claim)) break

    const other = readIfThere(claim)
    if (other === undefined) return false
    const claimant = readHolder(other)
    if (claimant && isRunning(claimant)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS)
      return false
    }
    text = other
  }

  const isMine = readIfThere(lock) === stale
  if (isMine) renameSync(mine, lock)
  // In this order: as long as the claim on the stale lock stands, nobody else can make it.
  for (const claim of claims.reverse()) rmSync(claim, { force: true })
  return isMine
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

function release(lock: string, me: string): void {
  if (readIfThere(lock) === me) rmSync(lock, { force: true })
}

function readHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const { pid, startedAt, boot } = value as Partial<Record<keyof Holder, unknown>>
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || typeof boot !== 'string') return undefined
    return { pid, startedAt, boot }
  } catch {
    return undefined
  }
}

function isRunning({ pid, startedAt, boot }: Holder): boolean {
  return boot === bootId() && startOf(pid) === startedAt
}

/** When the process started, as its system tells it; `undefined` when there is no such process. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return startOnLinux(pid)
  try {
    const told = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    })
    return told.trim() || undefined
  } catch {
    return undefined
  }
}

/** Clock ticks between boot and start: field 22 of `/proc/<pid>/stat`, see proc(5). */
function startOnLinux(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // Field 2 is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Field 3 is the state; a zombie holds nothing any more.
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

/** Names this boot of this machine; the machine alone where the system has no such name. */
function bootId(): string {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? hostname()
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

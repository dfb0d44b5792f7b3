// @ts-check
/**
 * Copies the embedded database's folder into one file or a folder while the database is in use, like a base backup: no
 * query waits for it, and a restore is brought to one moment by the write-ahead log.
 *
 *     pg_control                   as at the beginning: names the last checkpoint
 *     data files, one by one       from different moments, some pages half written
 *     write-ahead log              holds every change since that checkpoint, full pages first
 *     pg_control again             unchanged: no checkpoint came between, which would have removed log
 *
 * @see https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 *
 * Plain JavaScript, since the database's worker is.
 */
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const CONTROL = '/global/pg_control'
const LOG = '/pg_wal'

/** Files of the process, not of the data. */
const LEFT_OUT = new Set(['/postmaster.pid', CONTROL])

/** Attempts at a dump, which restarts if a checkpoint interrupts it: one in minutes by a service, two by each verb without it. */
const TRIES = 10

/** Bytes that are read at once, which bounds how long a query waits. */
const CHUNK_BYTES = 64 * 1024

/** Bytes of a tar header and of its block. @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */
const BLOCK_BYTES = 512

/**
 * Writes the database in `cluster` to the file `dump`, which is complete or does not exist.
 *
 * @param {string} cluster
 * @param {string} dump
 * @param {{ signal?: AbortSignal, betweenFiles?: () => Promise<void> }} [options] `betweenFiles` is for tests
 * @throws {Error} if it was aborted, or checkpoints interrupted every attempt
 */
export async function dumpCluster(cluster, dump, { signal, betweenFiles } = {}) {
  const part = `${dump}.part`
  try {
    await untilWhole(cluster, (control) => writeTar(cluster, part, control, { signal, betweenFiles }))
    await rename(part, dump)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Copies it to the folder `copy`, to be opened at once: packing and unpacking take longer than all else. @param {string} cluster @param {string} copy */
export async function copyCluster(cluster, copy) {
  await untilWhole(cluster, async (control) => {
    await rm(copy, { recursive: true, force: true })
    for await (const { name, isFolder } of entriesOf(cluster)) {
      if (isFolder) await mkdir(join(copy, name), { recursive: true })
      else await unlessGone(copyFile(join(cluster, name), join(copy, name)))
    }
    await writeFile(join(copy, CONTROL), control)
  })
}

/** Calls `attempt` until no checkpoint interrupted it. @param {string} cluster @param {(control: Buffer) => Promise<void>} attempt */
async function untilWhole(cluster, attempt) {
  for (let tries = 0; tries < TRIES; tries++) {
    const control = await readFile(join(cluster, CONTROL))
    await attempt(control)
    if (control.equals(await readFile(join(cluster, CONTROL)))) return
  }
  throw new Error('Other work on the database kept interrupting; try again')
}

/**
 * @param {string} cluster
 * @param {string} part
 * @param {Buffer} control
 * @param {{ signal?: AbortSignal | undefined, betweenFiles?: (() => Promise<void>) | undefined }} options
 */
async function writeTar(cluster, part, control, { signal, betweenFiles = async () => {} }) {
  async function* parts() {
    for await (const { name, isFolder } of entriesOf(cluster)) {
      if (isFolder) yield header(name, 0, true)
      else {
        yield* entry(cluster, name)
        await betweenFiles()
      }
    }
    yield header(CONTROL, control.length, false)
    yield padded(control)
    yield Buffer.alloc(2 * BLOCK_BYTES)
  }

  const target = await open(part, 'w', 0o600)
  // The fastest level: a shutdown waits for it. A function in place of the last stream would hide why a write failed.
  await pipeline(
    Readable.from(parts(), { objectMode: false, highWaterMark: CHUNK_BYTES }),
    createGzip({ level: 1, chunkSize: CHUNK_BYTES }),
    target.createWriteStream({ flush: true }),
    { signal },
  )
}

/**
 * Adds one file, with the size it had when it was opened: later bytes are in the log.
 *
 * @param {string} cluster
 * @param {string} name
 */
async function* entry(cluster, name) {
  const file = await unlessGone(open(join(cluster, name), 'r'))
  if (!file) return
  try {
    const { size } = await file.stat()
    yield header(name, size, false)
    for (let at = 0; at < size; ) {
      const length = Math.min(CHUNK_BYTES, size - at)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
      // A file truncated meanwhile ends in zeros; replaying the log truncates it again.
      yield buffer.subarray(0, bytesRead === 0 ? length : bytesRead)
      at += bytesRead === 0 ? length : bytesRead
    }
    if (size % BLOCK_BYTES > 0) yield Buffer.alloc(BLOCK_BYTES - (size % BLOCK_BYTES))
  } finally {
    await file.close()
  }
}

/** Undefined for a file of a table that was dropped meanwhile, or of log that a checkpoint removed. @template T @param {Promise<T>} done */
async function unlessGone(done) {
  try {
    return await done
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** The folders, the data files and then the log of a cluster, as paths within it with a leading slash. @param {string} cluster */
async function* entriesOf(cluster) {
  const found = await listBelow(cluster, '')
  yield* found.filter(({ isFolder }) => isFolder)
  yield* found.filter(({ name, isFolder }) => !isFolder && !name.startsWith(`${LOG}/`))
  // Listed only now: the data files may depend on segments of the log created meanwhile.
  yield* (await listBelow(cluster, LOG)).filter(({ isFolder }) => !isFolder)
}

/** @param {string} cluster @param {string} within */
async function listBelow(cluster, within) {
  const found = await readdir(join(cluster, within), { withFileTypes: true, recursive: true })
  return found
    .map((one) => ({
      name: `/${relative(cluster, join(one.parentPath, one.name)).replaceAll(sep, '/')}`,
      isFolder: one.isDirectory(),
    }))
    .filter(({ name }) => !LEFT_OUT.has(name))
}

/** @param {Buffer} bytes */
function padded(bytes) {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)])
}

/** A tar's header of a file or a folder. @param {string} name @param {number} size @param {boolean} isFolder */
function header(name, size, isFolder) {
  const block = Buffer.alloc(BLOCK_BYTES)
  /** @param {number} value @param {number} at @param {number} digits */
  const octal = (value, at, digits) => block.write(value.toString(8).padStart(digits, '0'), at, 'latin1')
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a dump`)
  block.write(name, 0, 'utf8')
  octal(isFolder ? 0o755 : 0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(size, 124, 11)
  octal(0, 136, 11)
  block.write('        ', 148, 'latin1')
  block.write(isFolder ? '5' : '0', 156, 'latin1')
  block.write('ustar\u000000', 257, 'latin1')
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  )
  block.write('\0 ', 154, 'latin1')
  return block
}

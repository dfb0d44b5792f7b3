// @ts-check
/**
 * Copies the embedded database's folder into one file while the database is in use, like a base backup of PostgreSQL: no
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
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
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
    for (let attempt = 1; !(await writeTar(cluster, part, { signal, betweenFiles })); attempt++) {
      if (attempt === TRIES) throw new Error('Other work on the database kept interrupting; try again')
    }
    await rename(part, dump)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/**
 * @param {string} cluster
 * @param {string} part
 * @param {{ signal?: AbortSignal | undefined, betweenFiles?: (() => Promise<void>) | undefined }} options
 * @returns {Promise<boolean>} false if a checkpoint interrupted it
 */
async function writeTar(cluster, part, { signal, betweenFiles = async () => {} }) {
  const control = await readFile(join(cluster, CONTROL))
  let isWhole = false

  async function* parts() {
    const { folders, files } = await listFiles(cluster, '')
    for (const folder of folders) yield header(folder, 0, true)
    for (const file of files.filter((name) => !isLog(name))) {
      yield* entry(cluster, file)
      await betweenFiles()
    }
    // Listed only now: the data files may depend on segments of the log created meanwhile.
    for (const file of (await listFiles(cluster, LOG)).files) {
      yield* entry(cluster, file)
      await betweenFiles()
    }
    isWhole = control.equals(await readFile(join(cluster, CONTROL)))
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
  return isWhole
}

/**
 * Adds one file, with the size it had when it was opened: later bytes are in the log.
 *
 * @param {string} cluster
 * @param {string} name
 */
async function* entry(cluster, name) {
  /** @type {import('node:fs/promises').FileHandle} */
  let file
  try {
    file = await open(join(cluster, name), 'r')
  } catch (error) {
    // A table that was dropped meanwhile, or log that a checkpoint removed.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
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

/**
 * Everything below a folder of the cluster, as paths within the cluster with a leading slash.
 *
 * @param {string} cluster
 * @param {string} within
 * @returns {Promise<{ folders: string[], files: string[] }>}
 */
async function listFiles(cluster, within) {
  /** @type {string[]} */
  const folders = []
  /** @type {string[]} */
  const files = []
  /** @param {string} folder */
  const list = async (folder) => {
    for (const found of await readdir(join(cluster, folder), { withFileTypes: true })) {
      const path = `${folder}/${found.name}`
      if (found.isDirectory()) {
        folders.push(path)
        await list(path)
      } else if (found.isFile() && !LEFT_OUT.has(path)) files.push(path)
    }
  }
  await list(within)
  return { folders, files: files.sort() }
}

/** @param {string} file */
function isLog(file) {
  return file.startsWith(`${LOG}/`)
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

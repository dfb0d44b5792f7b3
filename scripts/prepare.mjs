// The first step of `npm start`, `npm test` and the operator's tool on any clone: install what is missing, build what is
// stale. `node scripts/prepare.mjs` alone prepares a clone for users who may not write to it. Imports only Node's own
// modules, since it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Folder of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Brings node_modules and both builds up to date. The output of the steps goes to stderr, so that a caller's stdout stays its
 * own.
 */
export async function prepare() {
  const leave = await enter(join(root, '.build'))
  process.once('exit', leave)
  await install()
  await run(process.execPath, [join(root, 'scripts/build.mjs')])
  process.off('exit', leave)
  leave()
}

/** Reads `.env` beside package.json; the real environment wins. Not for tests: their services start the same everywhere. */
export function readEnvFile() {
  const file = join(root, '.env')
  if (!process.env.VITEST && existsSync(file)) process.loadEnvFile(file)
}

/** Looks at the lock, 100 ms apart: those before a message, since a check is over sooner; those without a sign of life after which it is void. */
const [SAID_AFTER, LEFT_AFTER] = [50, 600]

/**
 * Waits until no other process prepares this clone, since two installations at once break each other. `folder` holds the file
 * with the current process. Returns a function that lets the next one in.
 */
export async function enter(folder, pause = () => wait(100)) {
  const lock = join(folder, 'preparing')
  mkdirSync(folder, { recursive: true })
  for (let looks = 1, quiet = 0, seen = 0; ; looks++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      const beating = setInterval(() => utimes(lock, new Date(), new Date(), () => {}), 1_000).unref()
      return () => {
        clearInterval(beating)
        rmSync(lock, { force: true })
      }
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(readStamp(lock))
    const mtimeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    quiet = mtimeMs === seen ? quiet + 1 : 0
    seen = mtimeMs
    // In a container a killed process often had our id, and anywhere another may have it by now.
    const isOurs = holder === process.pid && mtimeMs < performance.timeOrigin
    // Without an id in it, somebody has just created it or left.
    if ((!holder || isRunning(holder)) && !isOurs && quiet < LEFT_AFTER) {
      if (looks === SAID_AFTER)
        console.error(`Waiting for process ${holder}, which installs or builds this clone…`)
      await pause()
    } else {
      // Left behind by a killed process. One removes it at a time: the next may be in by then.
      const leave = await enter(join(folder, 'left'), pause)
      if (Number(readStamp(lock)) === holder) rmSync(lock, { force: true })
      leave()
    }
  }
}

/** Whether there is a process with this id. */
export function isRunning(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs `npm ci` unless all that the lock file names is there; optional packages may be for another platform. */
async function install() {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (file) => JSON.parse(readStamp(join(root, file)) ?? '{}').packages ?? {},
  )
  const isThere = ([path, { version, optional }]) => !path || optional || present[path]?.version === version
  if (Object.entries(wanted).every(isThere)) return

  console.error('Installing dependencies (once, about half a minute)…')
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  await run(...(npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args]))
}

/** Runs `build` unless `output` exists and was built from the same `sources` (files and folders). */
export async function buildIfStale(name, output, sources, build) {
  const stampFile = join(root, '.build', `${name}.hash`)
  const wanted = hashFiles(sources.map((source) => join(root, source)))
  if (existsSync(join(root, output)) && readStamp(stampFile) === wanted) return

  console.error(`Building the ${name}…`)
  await build()
  mkdirSync(join(root, '.build'), { recursive: true })
  writeFileSync(stampFile, wanted)
}

function readStamp(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/** SHA-256 over names and contents of the files, and of all files below the folders; without tests. */
function hashFiles(paths) {
  const hash = createHash('sha256')
  // Without the path of the clone: a copied or moved clone is as fresh as before.
  for (const path of paths.flatMap(listFiles).sort())
    hash.update(relative(root, path)).update('\0').update(readFileSync(path))
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(test|suite)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(relative(root, file)))
}

/** Runs a program to its end with its output on stderr; rejects if it fails. */
function run(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 2, 2] })
    const interrupt = () => child.once('exit', () => process.exit(130)).kill()
    const terminate = () => child.once('exit', () => process.exit(143)).kill()
    process.once('SIGINT', interrupt).once('SIGTERM', terminate)
    child.once('error', reject)
    child.prependOnceListener('exit', (code, signal) => {
      process.off('SIGINT', interrupt).off('SIGTERM', terminate)
      if (code === 0) resolve()
      else reject(new Error(`${file} ${args[0]} ended with ${signal ?? `status ${code}`}.`))
    })
  })
}

const [, command = ''] = process.argv
if (existsSync(command) && realpathSync(command) === fileURLToPath(import.meta.url)) await prepare()

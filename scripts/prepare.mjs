// What `npm start`, `npm test` and the operator's tool do first on any clone: install what is missing, build what
// is stale. Imports nothing but Node's own modules, since it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Brings node_modules and both builds up to date. Whatever the steps print goes to stderr, so that a caller's
 * stdout stays its own.
 */
export async function prepare() {
  await install()
  await run(process.execPath, [join(root, 'scripts/build.mjs')])
}

/** Runs `npm ci` unless node_modules was installed from this very lock file. */
async function install() {
  const stampFile = join(root, 'node_modules/.pairwire-installed')
  const wanted = hashFiles([join(root, 'package-lock.json')])
  if (readStamp(stampFile) === wanted) return

  console.error('Installing dependencies (once, about half a minute)…')
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  if (npm?.endsWith('.js')) await run(process.execPath, [npm, ...args])
  else await run('npm', args)
  writeFileSync(stampFile, wanted)
}

/** Runs `build` unless `output` is there and was made from the same `sources` (files and folders). */
export async function buildIfStale(name, output, sources, build) {
  const stampFile = join(root, '.build', `${name}.hash`)
  const wanted = hashFiles(sources.map((source) => join(root, source)))
  if (existsSync(join(root, output)) && readStamp(stampFile) === wanted) return

  await build()
  mkdirSync(join(root, '.build'), { recursive: true })
  writeFileSync(stampFile, wanted)
}

function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** SHA-256 over names and contents of the files, and of all files below the folders; tests do not count. */
function hashFiles(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(listFiles).sort())
    hash.update(path).update('\0').update(readFileSync(path))
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  let entries
  try {
    entries = readdirSync(path, { withFileTypes: true, recursive: true })
  } catch {
    return [path]
  }
  return entries
    .filter((entry) => entry.isFile() && !/\.(test|suite)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.includes('node_modules'))
}

/** Runs a program to its end with its output on stderr; rejects when it fails. */
function run(file, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 2, 2] })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${file} ${args[0]} ended with ${signal ?? `status ${code}`}.`))
    })
  })
}

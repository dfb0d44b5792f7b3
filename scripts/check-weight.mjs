// Checks the weight: fails if a room has more lines of production than weight.json allows, if a folder has more than 25 such
// files, if a bound or a list of exceptions has grown without a decision, and if production imports test code. `npm run
// weight` prints the rooms.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))

/** Files with these endings are production, unless the path says otherwise. */
const COUNTED = /\.(tsx?|css|html|m?js|sql)$|^clients\/.*\.py$/
const NOT_PRODUCTION =
  /(^|\/)(testing|e2e|fixtures|dist(-admin)?|node_modules)\/|^(clients|packages)\/\w+\/(tests|examples)\/|\.(test|suite)\.|\.test-|\.d\.ts$|fixtures/

/** Folders of production, in addition to the files of the root itself. */
const PLACES = ['apps', 'packages', 'clients', 'design', 'bench', 'scripts', 'bin']

/** Files directly in a folder. */
const MOST_FILES = 25

const { rooms, folders } = readJson('scripts/weight.json')
const lines = new Map(productionFiles().map((file) => [file, countLines(file)]))
const faults = [...roomFaults(), ...folderFaults(), ...growthFaults(), ...testingFaults()]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
if (process.argv.includes('--print')) printRooms()

/** A room above its bound also has `today`, which may only fall. */
function limitOf({ bound, today = 0 }) {
  return Math.max(bound, today)
}

function isIn({ paths }, file) {
  return paths.some((path) => (path === '.' ? !file.includes('/') : file.startsWith(`${path}/`)))
}

function sumOf(room) {
  return [...lines].reduce((sum, [file, count]) => sum + (isIn(room, file) ? count : 0), 0)
}

function* roomFaults() {
  for (const file of lines.keys()) {
    if (!rooms.some((room) => isIn(room, file))) yield `${file}: in no room of scripts/weight.json.`
  }
  for (const room of rooms) {
    const sum = sumOf(room)
    if (sum <= limitOf(room)) continue
    const grown = mostGrown(room)
    yield `${room.name}: ${sum} lines of production, of ${limitOf(room)}.${grown} A higher bound needs a decision.`
  }
}

/** The five files that grew most since the commit before. */
function mostGrown({ paths }) {
  const base = commitBefore()
  if (!base) return ''
  const before = new Map(git('grep', '-c', '', base, '--', ...paths).map((line) => line.split(':').slice(1)))
  const grown = [...lines]
    .filter(([file]) => isIn({ paths }, file))
    .map(([file, count]) => [file, count - Number(before.get(file) ?? 0)])
    .filter(([, growth]) => growth > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
  if (grown.length === 0) return ''
  return ` Since ${base.slice(0, 8)} grew most: ${grown.map(([file, growth]) => `${file} +${growth}`).join(', ')}.`
}

/** The commit that growth is measured from: where this branch left main; on main itself the one before. */
function commitBefore() {
  const head = git('rev-parse', 'HEAD')[0]
  const fork = git('merge-base', 'HEAD', 'main')[0]
  if (fork !== head) return fork
  const isChanged =
    git('status', '--porcelain', '--', 'scripts/weight.json', 'biome.json', 'knip.json').length > 0
  return isChanged ? head : git('rev-parse', 'HEAD^')[0]
}

function* folderFaults() {
  const counts = new Map()
  for (const file of lines.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  for (const [folder, count] of counts) {
    const most = folders[folder] ?? MOST_FILES
    if (count > most) yield `${folder}: ${count} files of production, of ${most}.`
  }
}

/** Every figure of weight.json and every exception of biome.json and knip.json that has grown since the commit before. */
function growthFaults() {
  const base = commitBefore()
  const before = base && showJson(base, 'scripts/weight.json')
  if (!before) return []
  const added = git('diff', '--name-only', '--diff-filter=A', base, '--', 'docs/decisions')
  const isDecided = added.length > 0 || git('ls-files', '-o', '--', 'docs/decisions').length > 0
  if (isDecided) return []
  const faults = []
  for (const room of rooms) {
    const old = before.rooms.find(({ name }) => name === room.name)
    if (!old || room.bound > old.bound || limitOf(room) > limitOf(old))
      faults.push(`${room.name}: its bound in scripts/weight.json has grown without a decision.`)
  }
  for (const [folder, most] of Object.entries(folders)) {
    if (most > (before.folders[folder] ?? MOST_FILES))
      faults.push(`${folder}: its exception in scripts/weight.json has grown without a decision.`)
  }
  for (const file of ['biome.json', 'knip.json']) {
    const now = exceptionsIn(readJson(file)).length
    const then = exceptionsIn(showJson(base, file)).length
    if (then > 0 && now > then)
      faults.push(`${file}: ${now} files are excepted from its rules, ${then} were.`)
  }
  return faults
}

/** The files that a config exempts by name: Biome's overrides, knip's issues. */
function exceptionsIn(config) {
  const named = config?.overrides?.flatMap(({ includes }) => includes) ?? []
  return [...named, ...Object.keys(config?.ignoreIssues ?? {})].filter((path) => !path.includes('*'))
}

function* testingFaults() {
  const pattern = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g
  for (const file of lines.keys()) {
    if (!/^(apps|packages)\//.test(file) || !/\.(tsx?|mjs)$/.test(file)) continue
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(pattern)) {
      const target = specifier.startsWith('.')
        ? relative(root, resolve(root, dirname(file), specifier))
        : specifier
      if (/(^|\/)(testing|fixtures)(\/|$)/.test(target))
        yield `${file}: imports ${specifier}, which is for tests.`
    }
  }
}

function printRooms() {
  for (const room of rooms)
    console.log(`${room.name.padEnd(50)} ${String(sumOf(room)).padStart(6)} of ${limitOf(room)}`)
}

function productionFiles() {
  const own = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile())
  return [...own.map(({ name }) => name), ...PLACES.flatMap(filesBelow)].filter(isProduction)
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return NOT_PRODUCTION.test(`${path}/`) ? [] : filesBelow(path)
  })
}

function isProduction(file) {
  return COUNTED.test(file) && !NOT_PRODUCTION.test(file)
}

function countLines(file) {
  return readFileSync(join(root, file), 'latin1').split('\n').length - 1
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

function showJson(commit, file) {
  const text = git('show', `${commit}:${file}`).join('\n')
  return text === '' ? undefined : JSON.parse(text)
}

/** The lines of git's output; none without git or the commit, as in an archive of the source. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
  return status === 0 && stdout.trim() !== '' ? stdout.trimEnd().split('\n') : []
}

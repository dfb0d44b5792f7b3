// Enforces the floors below: fails on an import that a package does not declare, that reaches into another package by a
// relative path, that goes up or sideways, also between the rooms of a part, or that loads what only the simulator may.
// Biome finds circular imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))

/** What each part of ours may import of ours: a package, or only a path of it if the rest needs Node or a clock. */
const FLOORS = {
  'packages/basics': [],
  'packages/contract': [],
  'packages/decoders': ['contract', 'basics/json', 'basics/bounded-map'],
  'packages/chain-writer': ['contract', 'decoders'],
  'packages/chain-double': ['contract', 'decoders'],
  'packages/segment-log': [],
  'packages/archive': ['contract', 'basics'],
  'packages/bus': ['contract', 'basics', 'segment-log'],
  'packages/accounts': ['contract', 'basics'],
  'packages/client': ['contract', 'basics/json', 'basics/testing/manual-clock'],
  'packages/filter': ['contract'],
  'packages/process': ['contract', 'basics', 'bus', 'accounts'],
  'packages/public-fetch': [],
  'apps/ingest': [
    'contract',
    'basics',
    'decoders',
    'bus',
    'public-fetch',
    'chain-writer',
    'process',
    'segment-log',
  ],
  'apps/gateway': ['contract', 'basics', 'filter', 'bus', 'accounts', 'process'],
  'apps/archiver': ['contract', 'basics', 'filter', 'bus', 'archive', 'process'],
  'apps/api': ['contract', 'basics', 'filter', 'accounts', 'archive', 'bus', 'public-fetch', 'process'],
  'apps/web': ['contract', 'client/line', 'filter', 'basics/json', 'basics/bounded-map'],
  'apps/standalone': [
    'contract',
    'basics',
    'decoders',
    'bus',
    'accounts',
    'archive',
    'process',
    'ingest',
    'archiver',
    'gateway',
    'api',
    'chain-double',
  ],
}

/** Our development packages: any test may import them, and in production only these files. */
const ONLY_FOR = {
  'chain-writer': /^apps\/ingest\/src\/sources\/simulator\//,
  'chain-double': /^apps\/standalone\/src\/chain\//,
}

/** What any test may import: the SDK, whose promises are also tested on the gateway. */
const FOR_TESTS = ['client']

/** Folders that are loaded on demand: from outside only by `import()`. */
const LAZY = ['apps/ingest/src/sources/simulator', 'packages/bus/src/nats']

/** The folders of a part from the bottom up: each imports only those before it. */
const ROOMS = {
  'packages/decoders/src': 'bytes tokens logs transaction programs',
  'packages/accounts/src':
    'database acts mails standing money billing people orders plans seats webhooks operators room alarms backup',
  'apps/ingest/src': 'recording tokens enrich slot-keeper sources audit metadata past',
  'apps/gateway/src': 'protocol rates codecs outbox seats fanout intake resume playback connection door http',
  'apps/api/src':
    'alarms status adapters history pages token-files mails logos plugins routes webhooks operator',
  'apps/web/src': 'components session locale api third-parties shell features routes admin',
  'apps/web/src/features/console': 'feed worker tokens rows chart stream request history',
}

/** Programs of the decoders do not import each other; shared code is beside their folders. */
const PROGRAMS = 'packages/decoders/src/programs'

/** Test files: they may use development dependencies and read the environment. */
const IS_TEST = /\.(test|suite)\.tsx?$|\/testing\//

const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const development = Object.keys(readManifest('.').devDependencies)
const faults = []
const parts = ['packages', 'apps'].flatMap((floor) =>
  readdirSync(join(root, floor)).map((name) => `${floor}/${name}`),
)

for (const part of parts) {
  const allowed = FLOORS[part]
  if (!allowed) {
    faults.push(`${part}: not on any floor; add it to scripts/check-floors.mjs.`)
    continue
  }
  const manifest = readManifest(part)
  const declared = new Set(
    [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap((part = {}) =>
      Object.keys(part),
    ),
  )

  for (const file of sourceFiles(join(root, part, 'src'))) {
    const name = relative(root, file)
    const text = withoutComments(readFileSync(file, 'utf8'))
    const isTest = IS_TEST.test(file)
    // Passing the whole environment to config.ts is not reading it.
    const code = withoutTexts(text).replaceAll(/\bread\w*Config\(process\.env\)/g, '')
    const readsEnvironment = /process\.env\b/.test(code)
    if (readsEnvironment && !file.endsWith('/config.ts') && !isTest && part !== 'apps/web') {
      faults.push(`${name}: only config.ts reads the environment.`)
    }
    for (const { specifier, isDynamic, names } of imports(text)) {
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(file), specifier.replace(/\?.*$/, ''))
        const inside =
          target.startsWith(join(root, part)) ||
          (part === 'apps/web' && target.startsWith(join(root, 'design')))
        if (!inside) faults.push(`${name}: reaches out of its package to ${specifier}.`)
        const lazy = LAZY.find((folder) => isWithin(target, folder) && !isWithin(file, folder))
        if (lazy && !isTest && !isDynamic)
          faults.push(`${name}: loads ${lazy} at once; import() it when it is wanted.`)
        if (!isTest && Object.keys(ROOMS).some((folder) => goesUp(folder, file, target)))
          faults.push(`${name}: imports from a folder above its own.`)
        const [from, to] = [programOf(file), programOf(target)]
        if (from && to && from !== to && !isTest) faults.push(`${name}: a program imports another, ${to}.`)
        continue
      }
      if (isBuiltin(specifier)) continue
      const [dependency] = /^(@[^/]+\/)?[^/]+/.exec(specifier)
      const ours = /^@pairwire\/(.+)$/.exec(dependency)?.[1]
      const path = specifier.replace('@pairwire/', '')
      if (ours in ONLY_FOR && dependency !== manifest.name) {
        if (!isTest && !ONLY_FOR[ours].test(name)) faults.push(`${name}: may not import ${dependency}.`)
      } else if (isTest && FOR_TESTS.includes(ours)) continue
      else if (ours && !allowed.includes(ours) && !allowed.includes(path) && dependency !== manifest.name)
        faults.push(`${name}: may not import ${dependency}.`)
      if (
        part === 'packages/chain-writer' &&
        ours === 'decoders' &&
        !isTest &&
        !/^type \{ [A-Z]\w*(, [A-Z]\w*)* \}$/.test(names)
      ) {
        faults.push(`${name}: imports more than types; reader and writer would share mistakes.`)
      }
      if (
        !declared.has(dependency) &&
        !(isTest && development.includes(dependency)) &&
        dependency !== manifest.name
      ) {
        faults.push(`${name}: imports ${dependency}, which ${part}/package.json does not declare.`)
      }
    }
  }
}

for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function sourceFiles(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/** The code without comments, whose examples may show anything. */
function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** The code without its strings, which may hold samples of code. */
function withoutTexts(text) {
  return text.replace(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
}

/** The program's folder of a decoder file; undefined for one beside the programs. */
function programOf(file) {
  const path = relative(join(root, PROGRAMS), file)
  return path.startsWith('..') || !path.includes('/') ? undefined : path.split('/')[0]
}

/** Whether a file imports from a room above its own; files beside the rooms may import from any. */
function goesUp(folder, ...files) {
  const rooms = ROOMS[folder].split(' ')
  const [own, other] = files.map((file) => rooms.indexOf(relative(join(root, folder), file).split('/')[0]))
  return own >= 0 && own < other
}

function isWithin(file, folder) {
  return !relative(join(root, folder), file).startsWith('..')
}

/** Static imports, re-exports and `import()` calls, with the names that a static one imports. */
function imports(text) {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b([^'"`;]*?)from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g
  return [...text.matchAll(pattern)].map(([, names = '', from, bare, dynamic]) => ({
    specifier: from ?? bare ?? dynamic,
    isDynamic: dynamic !== undefined,
    names: names.trim(),
  }))
}

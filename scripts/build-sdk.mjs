// Packs the SDK as people install it, and builds the files that the service serves below /sdk.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'packages/client')

/** The entries that run in every runtime, and those that need Node. */
const ANYWHERE = ['index', 'line']
const ON_NODE = ['index-node', 'node', 'testing', 'command']

/** Builds everything: `output` gets the package in `package/` and the served files in `sdk/`. */
export async function buildSdk(output = join(source, 'dist')) {
  rmSync(output, { recursive: true, force: true })
  const folder = join(output, 'package')
  const common = { bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning', outdir: folder }
  const entriesOf = (names) => names.map((name) => join(source, 'src', `${name}.ts`))
  await build({ ...common, entryPoints: entriesOf(ANYWHERE), platform: 'browser' })
  await build({
    ...common,
    ...{ entryPoints: entriesOf(ON_NODE), platform: 'node', splitting: true, external: ['ws'] },
  })
  writeTypes(folder, join(output, 'types'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packageFile(), null, 2))
  cpSync(join(source, 'README.md'), join(folder, 'README.md'))
  cpSync(join(source, 'examples'), join(folder, 'examples'), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await serve(folder, join(output, 'sdk'))
}

/** Copies the declarations that the entries reach, with the file names of a consumer. */
function writeTypes(folder, made) {
  run('tsc', process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(source, 'tsconfig.json'),
    '--outDir',
    made,
  ])
  const wire = 'packages/client/src/stream/wire.d.ts'
  cpSync(join(root, wire), join(made, wire))
  const waiting = [...ANYWHERE, ...ON_NODE.slice(0, -1)].map((name) => `packages/client/src/${name}.d.ts`)
  for (const file of waiting) {
    const own = (target) => {
      if (!waiting.includes(target)) waiting.push(target)
      const path = relative(dirname(file), target).replace(/\.d\.ts$/, '.js')
      return path.startsWith('.') ? path : `./${path}`
    }
    const text = readFileSync(join(made, file), 'utf8')
      .replace(
        /(['"])(\.[^'"]+?)(?:\.d)?\.ts\1/g,
        (_, quote, path) => quote + own(join(dirname(file), `${path}.d.ts`)) + quote,
      )
      .replace(
        /(['"])@pairwire\/contract\/([\w-]+)\1/g,
        (_, quote, name) => quote + own(`packages/contract/src/${name}.d.ts`) + quote,
      )
    const target = join(folder, 'types', file.replace('packages/', ''))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  rmSync(made, { recursive: true })
}

/** The package.json of the package: that of the folder, with built files in place of the sources. */
function packageFile() {
  const { name, version, license, type, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  )
  const { description, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entry = (file) => ({ types: `./types/client/src/${file}.d.ts`, default: `./${file}.js` })
  return {
    ...{ name, version, description, license, type, engines, sideEffects: false },
    exports: {
      '.': { node: entry('index-node'), default: entry('index') },
      ...Object.fromEntries(['line', 'node', 'testing'].map((file) => [`./${file}`, entry(file)])),
    },
    bin: { 'pairwire-client': './command.js' },
    ...{ peerDependencies, peerDependenciesMeta },
  }
}

/** Builds what is served: the package, one file for a page, one for programs in Python, and a list of them. */
async function serve(folder, served) {
  mkdirSync(served)
  const pack = ['pack', folder, '--pack-destination', served, '--silent']
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) run('npm pack', process.execPath, [npm, ...pack])
  else run('npm pack', 'npm', pack)
  renameSync(join(served, readdirSync(served)[0]), join(served, 'pairwire-client.tgz'))
  await build({
    ...{ entryPoints: [join(source, 'src/index.ts')], outfile: join(served, 'pairwire.js') },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022' },
    // A page has no environment variables.
    define: { 'globalThis.process': 'undefined' },
    logLevel: 'warning',
  })
  cpSync(join(root, 'clients/python/pairwire.py'), join(served, 'pairwire.py'))
  const files = readdirSync(served).map((name) => {
    const bytes = readFileSync(join(served, name))
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  const { version } = packageFile()
  writeFileSync(join(served, 'index.json'), JSON.stringify({ version, files }))
}

/** Runs a program to its end; its output is shown only if it fails. */
function run(name, file, args) {
  const { status, output } = spawnSync(file, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} ended with status ${status}.\n${output?.join('') ?? ''}`)
}

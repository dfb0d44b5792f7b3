import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const bundled = new Map<string, Promise<string>>()

/** Where bundles go: inside the checkout, so that they find installed packages. */
const FOLDER = new URL('../../../../.build/scripts/', import.meta.url)

/**
 * Bundles a TypeScript file with what it imports of our code, once for all tests of a process: a child that runs the
 * bundle needs a fifth of the time it takes to load TypeScript. @returns the path of the bundle
 */
export function bundleScript(script: URL): Promise<string> {
  const path = fileURLToPath(script)
  const made = bundled.get(path) ?? write(path)
  bundled.set(path, made)
  return made
}

async function write(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    // These load files of their own. All else is bundled: an installed package of many files takes longest to load.
    external: ['@duckdb/node-bindings', '@electric-sql/pglite', 'esbuild', 'pg-native'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(process.argv[1]);",
    },
    plugins: [ourSources],
  })
  const name = createHash('sha256').update(script).digest('hex').slice(0, 16)
  const path = fileURLToPath(new URL(`${name}.mjs`, FOLDER))
  mkdirSync(FOLDER, { recursive: true })
  // Another test process may be running the previous one.
  writeFileSync(`${path}.${process.pid}`, outputFiles[0]!.contents)
  renameSync(`${path}.${process.pid}`, path)
  return path
}

/** Gives each of our files its own address: some find others next to themselves. */
const ourSources: Plugin = {
  name: 'our sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    }))
  },
}

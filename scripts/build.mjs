// Builds what is stale: the server bundle into apps/standalone/dist, the dashboard into apps/web/dist and the SDK into
// packages/client/dist. A separate process, because esbuild and Vite leave processes running in the process that calls them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildIfStale, root } from './prepare.mjs'

// The caller may be a test: always builds for production, never with React's slower and larger development half.
process.env.NODE_ENV = 'production'

const ground = ['package-lock.json', 'scripts/build.mjs']
const serverApps = ['api', 'archiver', 'gateway', 'ingest', 'standalone'].map((app) => `apps/${app}/src`)
const web = ['src', 'public', 'index.html', 'vite.config.ts'].map((path) => `apps/web/${path}`)
const webPackages = ['basics', 'client', 'contract', 'filter'].map((part) => `packages/${part}/src`)

await Promise.all([
  buildIfStale('server', 'apps/standalone/dist/main.js', [...ground, 'packages', ...serverApps], buildServer),
  buildIfStale(
    'dashboard',
    'apps/web/dist/index.html',
    [...ground, 'design', ...webPackages, ...web],
    buildWeb,
  ),
  buildIfStale(
    'SDK',
    'packages/client/dist/sdk/index.json',
    [...ground, 'scripts/build-sdk.mjs', 'packages/contract/src', 'packages/client', 'clients/python'],
    async () => (await import('./build-sdk.mjs')).buildSdk(),
  ),
])

async function buildServer() {
  const { build } = await import('esbuild')
  rmSync(join(root, 'apps/standalone/dist'), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'apps/standalone/src/main.ts',
      pairwire: 'apps/standalone/src/pairwire.ts',
      'engine-child': 'apps/archiver/src/engine/engine-child.ts',
    },
    outdir: 'apps/standalone/dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    // These load files of their own and must stay where npm put them; pg-native is optional and absent.
    external: ['@duckdb/node-api', '@electric-sql/pglite', 'pg-native', 'sharp'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
}

async function buildWeb() {
  const { build } = await import('vite')
  await build({ root: join(root, 'apps/web'), logLevel: 'warn' })
  compress(join(root, 'apps/web/dist'))
}

/** Writes a .gz and a .br beside every text file, so that the server sends them without work. */
function compress(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(html|js|css|svg|json|txt|webmanifest)$/.test(entry.name)) continue
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const bytes = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    )
  }
}

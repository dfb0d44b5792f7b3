// Builds what is stale: the server bundle into apps/standalone/dist, the dashboard into apps/web/dist, the operator's
// room into apps/web/dist-admin, the SDK into packages/client/dist, and an empty database into packages/accounts/dist. A separate process, because esbuild and Vite leave processes running in the process that calls them.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
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
  buildIfStale('dashboard', 'apps/web/dist/index.html', [...ground, 'design', ...webPackages, ...web], () =>
    buildWeb('vite.config.ts', 'dist'),
  ),
  buildIfStale(
    'room',
    'apps/web/dist-admin/index.html',
    [...ground, 'design', ...webPackages, 'apps/web/src', 'apps/web/vite.admin.config.ts'],
    () => buildWeb('vite.admin.config.ts', 'dist-admin'),
  ),
  buildIfStale(
    'SDK',
    'packages/client/dist/sdk/index.json',
    [...ground, 'scripts/build-sdk.mjs', 'packages/contract/src', 'packages/client', 'clients/python'],
    async () => (await import('./build-sdk.mjs')).buildSdk(),
  ),
  buildIfStale(
    'empty database',
    'packages/accounts/dist/empty-cluster.tar.gz',
    [...ground, 'packages/accounts/src/database/pglite-dump.mjs'],
    buildEmptyDatabase,
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
    // Mails are drawn with React, whose development half is several times slower.
    define: { 'process.env.NODE_ENV': '"production"' },
    sourcemap: true,
    logLevel: 'warning',
    // These load files of their own and must stay where npm put them; pg-native is optional and absent.
    external: ['@duckdb/node-bindings', '@electric-sql/pglite', 'pg-native', 'sharp'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
}

/**
 * An embedded database without tables, as a dump: a new one is unpacked from it, which takes a quarter of making it. Without
 * the databases that PostgreSQL keeps to copy others from, and with a log in pieces of 4 MB: a third to start, copy or dump.
 */
async function buildEmptyDatabase() {
  const { PGlite } = await import('@electric-sql/pglite')
  const { dumpCluster } = await import('../packages/accounts/src/database/pglite-dump.mjs')
  const dist = join(root, 'packages/accounts/dist')
  const file = join(dist, 'empty-cluster.tar.gz')
  const cluster = mkdtempSync(join(tmpdir(), 'pairwire-empty-'))
  setFlagsFromString('--liftoff-only') // its code runs once, and is not worth optimising
  const database = await PGlite.create({ dataDir: cluster, initDbStartParams: ['--wal-segsize=4'] })
  await database.query('update pg_database set datistemplate = false where datname <> current_database()')
  for (const name of ['template0', 'template1']) await database.query(`drop database ${name}`)
  await database.close()
  mkdirSync(dist, { recursive: true })
  await dumpCluster(cluster, file)
  chmodSync(file, 0o644) // for a service that runs as another user
  rmSync(cluster, { recursive: true })
}

async function buildWeb(config, folder) {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'apps/web', config), logLevel: 'warn' })
  compress(join(root, 'apps/web', folder))
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

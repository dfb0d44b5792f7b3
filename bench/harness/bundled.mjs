import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { CHECKOUT, pathOf } from './product.mjs'

/** Imports parts of a checkout bundled as scripts/build.mjs does for the server. Peers are published bundled too. */
export async function importBundled(contents, checkout = CHECKOUT) {
  // As far below the checkout as its sources, which read their version in its package.json.
  const outdir = pathOf(`.build/bench/${randomUUID()}`, checkout)
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }))
  await build({
    stdin: { contents, resolveDir: fileURLToPath(checkout) },
    ...{ outdir, bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20' },
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return await import(pathToFileURL(join(outdir, 'stdin.mjs')).href)
}

/** The peers have a separate lock file beside the benches and are installed on first use. */
export function loadPeer(name) {
  const folder = pathOf('bench')
  if (!existsSync(`${folder}/node_modules/${name.split('/')[0]}`)) {
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['ci', '--prefix', folder, ...quietly], { stdio: 'inherit' })
  }
  return createRequire(`${folder}/package.json`)(name)
}

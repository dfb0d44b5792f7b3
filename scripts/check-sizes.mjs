// Checks the built dashboard and room against their size budgets, with gzip 9, and all served style sheets, uncompressed.
// Fails with every figure that is over.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { register } from 'tsx/esm/api'
import { root } from './prepare.mjs'

register()
const { compactStyles } = await import('../apps/api/src/pages/compact-styles.ts')
const { readPulse } = await import('../apps/api/src/pages/docs/pulse.ts')

/** Kilobytes of 1,000 bytes. */
const BUDGETS = {
  'first JavaScript for login': 110,
  'account, on top of the shell': 18,
  'console, on top of the shell': 40,
  'any other page, on top of the shell': 15,
  'webhooks, on top of the account page': 10,
  'chart, on top of the account page': 2.2,
  'console worker': 9,
  'all styles of the dashboard': 16,
  'all styles that are served, not compressed': 88,
  'all styles that are served': 22.5,
  'styles of Pulse': 1.7,
  'interface font': 31,
  'data font': 24,
  'first JavaScript of the room': 130,
  'any page of the room, on top of that': 20,
  'all styles of the room': 20,
}

const { dist, pages, shell, styles, reach, zipped, only, chunk } = openBuilt('dist', 'routes')
const room = openBuilt('dist-admin', 'admin/pages')
const gzipped = (content) => gzipSync(content, { level: 9 }).length
const raw = (name) => readFileSync(join(dist, 'assets', name)).length

/** The dashboard's style sheets, the first of which the server's pages load too, and those that only its pages have. */
const sheets = [
  ...styles.map((name) => readFileSync(join(dist, 'assets', name))),
  ...readdirSync(join(root, 'apps/api/public'))
    .filter((name) => name.endsWith('.css'))
    .map((name) => Buffer.from(compactStyles(readFileSync(join(root, 'apps/api/public', name), 'utf8')))),
]

const pulse = readPulse((name) => readFileSync(join(root, 'apps/api/public/examples', name), 'utf8'), '')

/** What a page or part loads beside these. */
const beyond = (page, loaded) => [...reach(chunk(page))].filter((name) => !loaded.has(name))

const rows = [
  ['first JavaScript for login', zipped(new Set([...shell, ...reach(chunk('login'))]))],
  ...pages
    .filter((page) => page !== 'login')
    .map((page) => [
      `${['account', 'console'].includes(page) ? page : 'any other page'}, on top of the shell`,
      zipped(beyond(page, shell)),
      page,
    ]),
  ['webhooks, on top of the account page', zipped(beyond('webhooks-panel', reach(chunk('account'))))],
  ['chart, on top of the account page', zipped(beyond('usage-days', reach(chunk('account'))))],
  ['console worker', zipped([only(/^stream\.worker-.*\.js$/)])],
  ['all styles of the dashboard', zipped(styles)],
  ['all styles that are served, not compressed', sheets.reduce((sum, sheet) => sum + sheet.length, 0)],
  ['all styles that are served', sheets.reduce((sum, sheet) => sum + gzipped(sheet), 0)],
  ['styles of Pulse', gzipped(pulse.files['/docs/assets/pulse.css'])],
  ['interface font', raw(only(/^instrument-sans-latin-wght-normal.*\.woff2$/))],
  ['data font', raw(only(/^geist-mono-latin-wght-normal.*\.woff2$/))],
  ['first JavaScript of the room', room.zipped(room.shell)],
  ...room.pages.map((page) => [
    'any page of the room, on top of that',
    room.zipped([...room.reach(room.chunk(page))].filter((name) => !room.shell.has(name))),
    page,
  ]),
  ['all styles of the room', room.zipped(room.styles)],
]

for (const [name, bytes, page] of rows) {
  const [kilobytes, budget] = [bytes / 1_000, BUDGETS[name]]
  const isOver = kilobytes > budget
  if (isOver) process.exitCode = 1
  const what = page ? `${page}: ${name}` : name
  console.log(`${isOver ? 'OVER ' : ''}${what}: ${kilobytes.toFixed(1)} of ${budget} kB`)
}

/** A built app in `folder` of the web, with a chunk for each file in `pageFolder` of its source. */
function openBuilt(folder, pageFolder) {
  const dist = join(root, 'apps/web', folder)
  const assets = readdirSync(join(dist, 'assets')).filter((name) => !/\.(gz|br|map)$/.test(name))
  const read = (name) => readFileSync(join(dist, 'assets', name))
  /** A script and everything that it imports before it can run; what it fetches later does not count. */
  const reach = (name, found = new Set()) => {
    if (found.has(name)) return found
    found.add(name)
    for (const [, imported] of String(read(name)).matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g))
      reach(imported, found)
    return found
  }
  const only = (pattern) => {
    const found = assets.filter((name) => pattern.test(name))
    if (found.length !== 1) throw new Error(`${found.length} files match ${pattern}.`)
    return found[0]
  }
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const entry = /<script type="module"[^>]* src="[\w/]*\/assets\/([^"]+)"/.exec(html)?.[1]
  if (!entry) throw new Error('The built page has no entry script.')
  return {
    ...{ dist, reach, only },
    pages: readdirSync(join(root, 'apps/web/src', pageFolder))
      .filter((name) => name.endsWith('.tsx'))
      .map((name) => name.slice(0, -'.tsx'.length)),
    shell: reach(entry),
    styles: assets.filter((name) => name.endsWith('.css')),
    /** The file of a page's own chunk. */
    chunk: (page) => only(new RegExp(`^${page}-[\\w-]{8}\\.js$`)),
    zipped: (names) => [...names].reduce((sum, name) => sum + gzipped(read(name)), 0),
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { compactStyles } from '../pages/compact-styles.ts'
import { createFile } from '../pages/compressed.ts'
import type { ApiParts } from '../parts.ts'

/** The look that the dashboard and the pages made here share: styles of the folder design, sent as one. */
const LOOK = [
  'tokens',
  'base',
  'shell',
  'icon',
  'panel',
  'button',
  'badge',
  'field',
  'dialog',
  'plan-pictures',
  'not-found',
  'event-row',
  'event-row-phone',
].map((name) => `${name}.css`)

/** The styles and scripts in `public`. */
const PAGE_FILES = [
  'pages.css',
  'faces.css',
  'docs.css',
  'frame.css',
  'theme.js',
  'theme-choice.js',
  'mailbox.js',
  'sandbox.css',
  'sandbox.js',
  'status.css',
  'status.js',
  'docs.js',
  'docs-search.js',
  'docs-key.js',
  'frame.js',
  'copy.js',
  'languages.js',
]

/** Seconds for which browsers keep the faces. */
const FONT_SECONDS = 86_400

/**
 * Styles, scripts and drawings of the pages made here, under /docs/assets. The faces are the web app's own; a
 * build without them leaves the system's face.
 */
export async function addPageAssets(
  app: FastifyInstance,
  { pagesRoot, designRoot, webRoot }: Pick<ApiParts, 'pagesRoot' | 'designRoot' | 'webRoot'>,
): Promise<void> {
  await app.register(fastifyStatic, { serve: false, preCompressed: true, index: false, dotfiles: 'ignore' })

  const folders = { [pagesRoot]: PAGE_FILES, [designRoot]: ['tokens.css', 'mark.svg'] }
  for (const [folder, names] of Object.entries(folders)) {
    for (const name of names) addAsset(app, folder, name)
  }

  const look = LOOK.map((name) => readFileSync(join(designRoot, name), 'utf8')).join('\n')
  const sendLook = createFile(compactStyles(look), TYPES['.css'])
  app.get('/docs/assets/look.css', (_request, reply) => sendLook(reply))

  for (const face of ['instrument-sans', 'geist-mono']) {
    const file = webRoot && findFace(join(webRoot, 'assets'), face)
    if (!file) continue
    app.get(`/docs/assets/${face}.woff2`, (_request, reply) =>
      reply
        .header('cache-control', `public, max-age=${FONT_SECONDS}`)
        .sendFile(file, join(webRoot, 'assets'), { cacheControl: false }),
    )
  }
}

/** Read once. */
function addAsset(app: FastifyInstance, folder: string, name: string): void {
  const type = new Map(Object.entries(TYPES)).get(extname(name)) ?? 'application/octet-stream'
  const text = readFileSync(join(folder, name), 'utf8')
  const send = createFile(type === TYPES['.css'] ? compactStyles(text) : text, type)
  app.get(`/docs/assets/${name}`, (_request, reply) => send(reply))
}

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The latin file of a face; its name ends in a hash that changes with the build. */
function findFace(folder: string, face: string): string | undefined {
  if (!existsSync(folder)) return undefined
  return readdirSync(folder).find((name) => name.startsWith(`${face}-latin-wght`) && name.endsWith('.woff2'))
}

import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { addBrandRoutes } from '../pages/brand/brand-routes.ts'
import { compactStyles } from '../pages/compact-styles.ts'
import { createFile } from '../pages/compressed.ts'
import type { ApiParts } from '../parts.ts'

/** The styles and scripts in `public`. */
const PAGE_FILES = [
  'pages.css',
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

/** Styles, scripts and drawings that only the pages made here use, under /docs/assets. */
export async function addPageAssets(
  app: FastifyInstance,
  { pagesRoot, designRoot, brand }: Pick<ApiParts, 'pagesRoot' | 'designRoot' | 'brand'>,
): Promise<void> {
  await app.register(fastifyStatic, { serve: false, preCompressed: true, index: false, dotfiles: 'ignore' })

  for (const name of PAGE_FILES) addAsset(app, pagesRoot, name)
  if (!brand.isOwn) addAsset(app, designRoot, 'mark.svg')
  addBrandRoutes(app, brand)
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

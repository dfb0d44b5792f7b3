import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createFile } from '../pages/compressed.ts'
import { type DocsSite, OF_SELF_HOSTING } from '../pages/docs/draw-docs.ts'
import { PULSE_PATH } from '../pages/docs/pulse.ts'
import { findErrorPage } from '../pages/error-pages.ts'
import type { Pages } from '../pages/page.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'

/** Earlier addresses of pages. */
const MOVED: Readonly<Record<string, string>> = {
  '/docs/new-tokens': '/docs/guides/new-tokens',
  '/docs/token-pricing': '/docs/guides/token-pricing',
  '/docs/guides': '/docs/guides/new-tokens',
}

/** The documentation: its pages, its search index, and its twins for machines. */
export function addDocsRoutes(app: FastifyInstance, docs: DocsSite, limits: RateLimits, pages: Pages): void {
  for (const page of docs.pages) addDocPage(app, limits, page, pages)
  for (const [path, text] of Object.entries(docs.texts)) addText(app, path, text)
  for (const [from, to] of Object.entries(MOVED)) app.get(from, (_request, reply) => reply.redirect(to, 301))

  // Where they are hidden, links to them lead to the first page.
  for (const name of OF_SELF_HOSTING) {
    const path = `/docs/${name}`
    if (docs.pages.length > 0 && !docs.pages.some((page) => page.path === path))
      app.get(path, (_request, reply) => reply.redirect('/docs', 302))
  }

  app.get<{ Params: { name: string } }>('/docs/errors/:name', (request, reply) => {
    const error = findErrorPage(request.params.name)
    return error ? reply.redirect(`/docs/errors/${error.name}`, 302) : reply.callNotFound()
  })
}

/** A page and its twin in Markdown: at a separate address, and for clients that accept Markdown. */
function addDocPage(
  app: FastifyInstance,
  limits: RateLimits,
  { path, title, description, markdown, main }: DocsSite['pages'][number],
  pages: Pages,
): void {
  const sendMarkdown = createFile(markdown, 'text/markdown; charset=utf-8')
  const sendTwin = (reply: FastifyReply) =>
    sendMarkdown(reply.header('link', `<${path}>; rel="alternate"; type="text/html"`))

  const onRequest = limits.docsPerAddress
  app.get(`${path}.md`, { onRequest }, (_request, reply) => sendTwin(reply))
  app.get(path, { onRequest }, (request, reply) => {
    reply.header('vary', 'accept')
    if (request.headers.accept?.includes('text/markdown')) return sendTwin(reply)
    return pages.send(reply.header('link', `<${path}.md>; rel="alternate"; type="text/markdown"`), {
      title: path === '/docs' ? 'Docs' : title,
      description,
      path,
      current: '/docs',
      main,
      isWide: true,
      styles: path === PULSE_PATH ? ['docs.css', 'pulse.css'] : ['docs.css'],
      scripts: path === PULSE_PATH ? ['docs.js', 'pulse.js'] : ['docs.js'],
    })
  })
}

function addText(app: FastifyInstance, path: string, text: string): void {
  const send = createFile(text, TYPES.get(extname(path)) ?? 'text/plain; charset=utf-8')
  app.get(path, (_request, reply) => send(reply))
}

const TYPES = new Map([
  ['.json', 'application/json; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
])

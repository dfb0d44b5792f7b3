import type { FastifyInstance, FastifyReply } from 'fastify'
import type { CodeSamples } from '../pages/code-samples.ts'
import { createCompressed } from '../pages/compressed.ts'
import { allDocs } from '../pages/docs/all-docs.ts'
import type { DocPage } from '../pages/docs/doc-page.ts'
import { drawDoc } from '../pages/docs/draw-doc.ts'
import { llmsFullText, llmsText } from '../pages/docs/llms-text.ts'
import { searchIndex } from '../pages/docs/search-index.ts'
import { findErrorPage } from '../pages/error-pages.ts'
import type { Pages } from '../pages/page.ts'
import { asyncApi } from '../pages/specs/asyncapi.ts'
import { openApi } from '../pages/specs/openapi.ts'
import type { ApiParts } from '../parts.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'

/** Addresses that pages had before. */
const MOVED: Readonly<Record<string, string>> = {
  '/docs/new-tokens': '/docs/guides/new-tokens',
  '/docs/token-pricing': '/docs/guides/token-pricing',
  '/docs/guides': '/docs/guides/new-tokens',
}

/** The documentation: its pages, its search index, and its twins for machines. All of it is made once, at the start. */
export function addDocsRoutes(
  app: FastifyInstance,
  parts: ApiParts & { limits: RateLimits },
  pages: Pages,
  samples: CodeSamples,
): void {
  const docs = allDocs(parts, samples)

  for (const page of docs) addDocPage(app, parts.limits, page, docs, pages)
  for (const [from, to] of Object.entries(MOVED)) app.get(from, (_request, reply) => reply.redirect(to, 301))

  app.get<{ Params: { name: string } }>('/docs/errors/:name', (request, reply) => {
    const error = findErrorPage(request.params.name)
    if (!error) return reply.callNotFound()
    return reply.redirect(`/docs/errors/${error.name}`, 302)
  })

  addText(app, '/docs/search.json', JSON.stringify(searchIndex(docs)))
  addText(app, '/docs/openapi.json', JSON.stringify(openApi(parts), null, 2))
  addText(app, '/docs/asyncapi.json', JSON.stringify(asyncApi(parts), null, 2))
  const llms = llmsText(docs, parts)
  addText(app, '/docs/llms.txt', llms)
  addText(app, '/llms.txt', llms)
  addText(app, '/docs/llms-full.txt', llmsFullText(docs))
}

/** A page, and its twin in Markdown: at an address of its own, and for clients that ask for Markdown. */
function addDocPage(
  app: FastifyInstance,
  limits: RateLimits,
  page: DocPage,
  docs: readonly DocPage[],
  pages: Pages,
): void {
  const { path, title, description } = page
  const main = drawDoc(page, docs)
  const sendMarkdown = createCompressed(page.markdown)
  const sendTwin = (reply: FastifyReply) =>
    sendMarkdown(
      reply
        .header('link', `<${path}>; rel="alternate"; type="text/html"`)
        .header('cache-control', 'no-cache')
        .type('text/markdown; charset=utf-8'),
    )

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
      styles: ['docs.css'],
      scripts: ['docs.js'],
    })
  })
}

function addText(app: FastifyInstance, path: string, text: string): void {
  const type = path.endsWith('.json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8'
  const send = createCompressed(text)
  app.get(path, (_request, reply) => send(reply.type(type).header('cache-control', 'no-cache')))
}

import type { FastifyInstance } from 'fastify'
import { docsPage, errorPage, errorsPage } from '../pages/docs.ts'
import { ERROR_PAGES, findErrorPage } from '../pages/error-pages.ts'
import { GUIDES } from '../pages/guides.ts'
import { legalPages } from '../pages/legal.ts'
import type { Pages } from '../pages/page.ts'
import type { ApiParts } from '../parts.ts'

/** The documentation: one page, a page an error, two guides and the three texts that people agree to. */
export function addDocsRoutes(app: FastifyInstance, parts: ApiParts, pages: Pages): void {
  const docs = docsPage(parts)
  app.get('/docs', (_request, reply) => pages.send(reply, { title: 'Docs', current: '/docs', main: docs }))

  const errors = errorsPage()
  app.get('/docs/errors', (_request, reply) =>
    pages.send(reply, { title: 'Errors', current: '/docs', main: errors }),
  )
  for (const error of ERROR_PAGES) {
    const main = errorPage(error)
    app.get(`/docs/errors/${error.name}`, (_request, reply) =>
      pages.send(reply, { title: error.title, current: '/docs', main }),
    )
  }
  app.get<{ Params: { name: string } }>('/docs/errors/:name', (request, reply) => {
    const error = findErrorPage(request.params.name)
    if (!error) return reply.callNotFound()
    return reply.redirect(`/docs/errors/${error.name}`, 302)
  })

  for (const [name, { title, main }] of Object.entries(GUIDES)) {
    app.get(`/docs/${name}`, (_request, reply) => pages.send(reply, { title, current: '/docs', main }))
  }
  for (const [name, { title, main }] of Object.entries(legalPages(parts.supportEmail))) {
    app.get(`/docs/${name}`, (_request, reply) => pages.send(reply, { title, main }))
  }
}

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { ApiParts } from '../parts.ts'

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

  const files: Record<string, string> = {
    'pages.css': pagesRoot,
    'faces.css': pagesRoot,
    'frame.css': pagesRoot,
    'frame.js': pagesRoot,
    'copy.js': pagesRoot,
    'languages.js': pagesRoot,
    'theme.js': pagesRoot,
    'mailbox.js': pagesRoot,
    'status.js': pagesRoot,
    'tokens.css': designRoot,
    'mark.svg': designRoot,
  }
  for (const [name, folder] of Object.entries(files)) {
    app.get(`/docs/assets/${name}`, (_request, reply) =>
      reply.header('cache-control', 'no-cache').sendFile(name, folder, { cacheControl: false }),
    )
  }

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

/** The latin file of a face; its name ends in a hash that changes with the build. */
function findFace(folder: string, face: string): string | undefined {
  if (!existsSync(folder)) return undefined
  return readdirSync(folder).find((name) => name.startsWith(`${face}-latin-wght`) && name.endsWith('.woff2'))
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from '@pairwire/process/brand'
import { furtherTexts } from '../brand/brand-look.ts'
import { type CodeSamples, createCodeSamples } from '../code-samples.ts'
import type { Html } from '../html.ts'
import { asyncApi } from '../specs/asyncapi.ts'
import { openApi } from '../specs/openapi.ts'
import { DOC_GROUPS, type DocGroup, type DocPage, type DocsSettings } from './doc-page.ts'
import { drawDoc } from './draw-doc.ts'
import { errorSources } from './errors.ts'
import { createFigures } from './figures.ts'
import { llmsFullText, llmsText } from './llms-text.ts'
import { createPlaceholders } from './placeholders.ts'
import { readPulse } from './pulse.ts'
import { readDoc, readOwnText } from './read-doc.ts'
import { searchIndex } from './search-index.ts'

/** The files of `docs/site` below each heading of the contents, in order. */
const CONTENTS: Readonly<Record<DocGroup, readonly string[]>> = {
  Start: ['index', 'sdk', 'pulse', 'keys'],
  Streams: [
    'new-pairs',
    'swaps',
    'latest-block',
    'messages',
    'cursors',
    'http-streams',
    'webhooks',
    'history',
  ],
  Reference: ['errors', 'limits', 'http-api', 'self-hosting', 'many-machines'],
  Guides: ['guides/new-tokens', 'guides/token-pricing'],
  Legal: ['terms', 'privacy', 'disclaimer'],
}

/** The pages about running the service. */
export const OF_SELF_HOSTING: readonly string[] = ['self-hosting', 'many-machines']

/** The documentation as sent: pages, each with its rendered parts, and texts made from all of them, by path. */
export type DocsSite = ReturnType<typeof drawDocs>

/** Draws the documentation. It takes 50 ms, so a service does it once, at startup. */
export function drawDocs(settings: DocsSettings) {
  const samples = createCodeSamples(settings)
  const pulse = readPulse(samples, settings.publicUrl)
  const docs = allDocs(settings, samples, pulse.markup)
  return {
    pages: docs.map((page) => ({ ...page, main: drawDoc(page, docs) })),
    texts: {
      '/docs/search.json': JSON.stringify(searchIndex(docs)),
      '/docs/openapi.json': JSON.stringify(openApi(settings), null, 2),
      '/docs/asyncapi.json': JSON.stringify(asyncApi(settings), null, 2),
      '/docs/llms.txt': llmsText(docs, settings),
      '/llms.txt': llmsText(docs, settings),
      '/docs/llms-full.txt': llmsFullText(docs),
      ...pulse.files,
    },
  }
}

/** Every page of the documentation, in the order of the contents; those of single errors come last. */
function allDocs(settings: DocsSettings, samples: CodeSamples, pulse: Html): readonly DocPage[] {
  const parts = { errors: readParts(settings, 'errors'), fields: readParts(settings, 'fields') }
  const fill = createPlaceholders(settings, samples, parts)
  const figures = createFigures(samples, fill, pulse)

  const page = (path: string, group: DocGroup, source: string, isUnlisted = false): DocPage => {
    const filled = fill(source)
    return { path, group, isUnlisted, markdown: figures.write(filled), ...readDoc(filled, figures) }
  }
  const listed = DOC_GROUPS.flatMap((group) =>
    contentsOf(group, settings.brand).map((name) => {
      const own = settings.brand.texts[name as keyof Brand['texts']]
      if (own !== undefined) return { path: `/docs/${name}`, group, markdown: own, ...readOwnText(own, name) }
      const source = readFileSync(join(settings.docsRoot, `${name}.md`), 'utf8')
      return page(name === 'index' ? '/docs' : `/docs/${name}`, group, source)
    }),
  )
  const errors = errorSources(parts.errors).map(({ path, source }) => page(path, 'Reference', source, true))
  return [...listed, ...errors]
}

/** Where customers must not meet the name of the software, they are not told how to run it either. */
function contentsOf(group: DocGroup, brand: Brand): readonly string[] {
  const names = CONTENTS[group].filter((name) => !brand.isOwn || !OF_SELF_HOSTING.includes(name))
  return group === 'Legal' ? [...names, ...furtherTexts(brand)] : names
}

/** The texts of a file of `docs/site/parts`, each by the heading above it. */
function readParts({ docsRoot }: DocsSettings, name: string): ReadonlyMap<string, string> {
  const [, ...parts] = readFileSync(join(docsRoot, 'parts', `${name}.md`), 'utf8').split(/^## /m)
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n')
      return [part.slice(0, end), part.slice(end).trim()]
    }),
  )
}

import type { Html } from '../html.ts'
import type { DocPage } from './doc-page.ts'

/** One place that the search can lead to: a page, or a part of one. */
export type SearchEntry = Readonly<{ title: string; of: string; url: string; text: string }>

/** The index of the search, made once from the pages themselves; the browser does the finding. */
export function searchIndex(pages: readonly DocPage[]): SearchEntry[] {
  return pages.flatMap((page) => [
    {
      title: page.title,
      of: page.group,
      url: page.path,
      text: `${page.description} ${textOf(page.lead)}`,
    },
    ...(page.isUnlisted
      ? []
      : page.sections.map(({ id, heading, text }) => ({
          title: heading,
          of: page.title,
          url: `${page.path}#${id}`,
          text: textOf(text),
        }))),
  ])
}

/** The pages as a list for language models. @see https://llmstxt.org */
export function llmsText(pages: readonly DocPage[], { publicUrl }: { publicUrl: string }): string {
  const listed = pages.filter((page) => !page.isUnlisted)
  const groups = [...new Set(listed.map((page) => page.group))]
  const link = (path: string, title: string, note: string) => `- [${title}](${publicUrl}${path}): ${note}`

  return `# Pairwire

> Live Solana new pairs and token swaps over one websocket, as JSON. Open the stream with an API key, send one subscribe request, read one text frame for each event.

${groups
  .map(
    (group) =>
      `## ${group}\n\n${listed
        .filter((page) => page.group === group)
        .map(({ path, title, description }) => link(path, title, description))
        .join('\n')}`,
  )
  .join('\n\n')}

## Specifications

${link('/docs/asyncapi.json', 'AsyncAPI', 'The stream: every frame as a JSON schema.')}
${link('/docs/openapi.json', 'OpenAPI', 'The HTTP API of the dashboard.')}
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** The words of a piece of HTML. */
function textOf({ text }: Html): string {
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,:;?)])/g, '')
    .trim()
}

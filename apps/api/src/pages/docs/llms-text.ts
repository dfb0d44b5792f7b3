import type { DocPage, DocsSettings } from './doc-page.ts'

/** The pages as a list for language models. @see https://llmstxt.org */
export function llmsText(
  pages: readonly DocPage[],
  { publicUrl, brand }: Pick<DocsSettings, 'publicUrl' | 'brand'>,
): string {
  const listed = pages.filter((page) => !page.isUnlisted)
  const groups = [...new Set(listed.map((page) => page.group))]
  const link = (path: string, title: string, note: string) => `- [${title}](${publicUrl}${path}): ${note}`

  return `# ${brand.name}

> Live Solana new pairs and token swaps over one websocket, as JSON. Open the stream with an API key, send one subscribe request, read one text frame for each event.

${groups
  .map(
    (group) =>
      `## ${group}\n\n${listed
        .filter((page) => page.group === group)
        .map(({ path, title, description }) => link(`${path}.md`, title, description))
        .join('\n')}`,
  )
  .join('\n\n')}

## Specifications

${link('/docs/asyncapi.json', 'AsyncAPI', 'The stream: every frame as a JSON schema.')}
${link('/docs/openapi.json', 'OpenAPI', 'The HTTP API of the dashboard.')}

## Everything in one file

${link('/docs/llms-full.txt', 'All pages', 'The pages above, one after another.')}
`
}

/**
 * The listed pages in one text, without long code that was shown before, and without programs that only their own page has:
 * large ones, and those that it has in other languages too.
 */
export function llmsFullText(pages: readonly DocPage[]): string {
  const all = pages.filter((page) => !page.isUnlisted).map(({ markdown }) => markdown)
  return withoutRepeats(all.join('\n'))
}

/**
 * Characters of code that is not repeated: pages show a frame beside its picture, and again beside its fields; and from which
 * it is left to the twin of its page.
 */
const [LONG, TOO_LONG] = [300, 1_500]

/** Endings of programs that stand beside the same ones in Node and Python. */
const FURTHER = ['go', 'rs']

function withoutRepeats(markdown: string): string {
  const seen = new Set<string>()
  return markdown.replace(/```(\w*).*\n([\s\S]*?)\n```\n\n?/g, (block, ending: string, code: string) => {
    const isNew = code.length < LONG || (code.length < TOO_LONG && !seen.has(code))
    seen.add(code)
    return isNew && !FURTHER.includes(ending) ? block : ''
  })
}

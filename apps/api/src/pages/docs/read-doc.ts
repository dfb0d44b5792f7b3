import MarkdownIt from 'markdown-it'
import { Html, html, textOf } from '../html.ts'
import { codeFigure, figure, requestFigure } from './code-figure.ts'
import type { DocPage, DocSection } from './doc-page.ts'
import { fieldRows, table } from './fields.ts'
import type { Figures } from './figures.ts'
import { frameJson } from './frame-json.ts'

/** Without raw HTML: a page is text, and whatever Markdown cannot express are the figures of `figures.ts`. */
const markdown = new MarkdownIt({ html: false })
type Token = ReturnType<typeof markdown.parse>[number]

/**
 * Draws a page from its Markdown: `# title`, `> description`, the lead, and sections `## heading {#id}`. Code blocks go
 * beside the text, like the figures, which are paragraphs `{{name argument}}`; a quote is a note to the reader.
 */
export function readDoc(
  source: string,
  figures: Pick<Figures, 'draw'>,
): Pick<DocPage, 'title' | 'description' | 'lead' | 'sections'> {
  const [title, description, ...blocks] = blocksOf(markdown.parse(source, {}))
  if (title?.[0]?.tag !== 'h1' || description?.[0]?.type !== 'blockquote_open') {
    throw new Error(`A page of the docs begins with "# title" and "> description": ${source.slice(0, 60)}`)
  }
  const parts = [{ text: [] as Html[], code: [] as Html[], heading: '', id: '' }]
  for (const block of blocks) {
    const [first, second] = block
    const { text, code } = parts.at(-1)!
    if (first?.tag === 'h2') parts.push({ text: [], code: [], ...readHeading(block) })
    else if (first?.type === 'fence') code.push(drawCode(first))
    else if (second?.content.startsWith('{{')) {
      const { isText, drawing } = figures.draw(second.content)
      if (isText) text.push(drawing)
      else code.push(drawing)
    } else text.push(drawText(block))
  }
  const [lead, ...sections] = parts.map(
    ({ text, code, heading, id }): DocSection => ({
      text: html`${text}`,
      code: code.length > 0 ? html`${code}` : undefined,
      heading,
      id,
    }),
  )
  return { title: wordsOf(title), description: wordsOf(description), lead: lead!, sections }
}

/**
 * Draws a legal text as its operator wrote it: any Markdown, whose parts begin at its headings of the second level.
 *
 * @param name of its file, which is its title where the text does not begin with one
 */
export function readOwnText(
  source: string,
  name: string,
): Pick<DocPage, 'title' | 'description' | 'lead' | 'sections'> {
  const blocks = blocksOf(markdown.parse(source, {}))
  const own = blocks[0]?.[0]?.tag === 'h1' ? wordsOf(blocks.shift()!) : ''
  const title = own || `${name[0]!.toUpperCase()}${name.slice(1)}`
  const parts: { text: Html[]; heading: string; id: string }[] = [{ text: [], heading: '', id: '' }]
  for (const block of blocks) {
    if (block[0]?.tag !== 'h2') parts.at(-1)!.text.push(rendered(block))
    else parts.push({ text: [], heading: wordsOf(block), id: `part-${parts.length}` })
  }
  const [lead, ...sections] = parts.map(({ text, ...part }) => ({
    ...part,
    text: html`${text}`,
    code: undefined,
  }))
  return { title, description: title, lead: lead!, sections }
}

/** Tokens of each block of the page, from its opening to its closing token. */
function blocksOf(tokens: readonly Token[]): Token[][] {
  const blocks: Token[][] = []
  for (const token of tokens) {
    if (token.level === 0 && token.nesting !== -1) blocks.push([])
    blocks.at(-1)?.push(token)
  }
  return blocks
}

function readHeading(block: readonly Token[]): { heading: string; id: string } {
  const words = wordsOf(block)
  const [, heading = words, id] = /^(.*?) \{#([a-z-]+)\}$/.exec(words) ?? []
  if (!id) throw new Error(`A section of the docs names its id, as in "## Request {#request}": ${words}`)
  return { heading, id }
}

/** A code block with its label: multi-line JSON for a frame, or a request for the console. */
function drawCode({ info, content }: Token): Html {
  const label = info.slice(info.indexOf(' ') + 1)
  const code = content.trimEnd()
  const frame = info.startsWith('json') && code.includes('\n') ? readFrame(code) : undefined
  if (!frame) return codeFigure(label, code)
  return 'jsonrpc' in frame && 'method' in frame
    ? requestFigure(label, code)
    : figure(label, frameJson(frame))
}

/** A frame over several lines; undefined for several frames, one per line. */
function readFrame(code: string): object | undefined {
  try {
    return JSON.parse(code)
  } catch {
    return undefined
  }
}

function drawText(block: readonly Token[]): Html {
  const [first] = block
  if (first?.type === 'table_open') return drawTable(block)
  if (first?.type === 'blockquote_open')
    return html`<div class="to-replace" role="note">${rendered(block.slice(1, -1))}</div>`
  return rendered(block)
}

/** A table; one of fields becomes a list whose rows highlight their place in the frame. */
function drawTable(block: readonly Token[]): Html {
  const cells = block.filter(({ type }) => type === 'inline').map(({ children }) => inline(children))
  const width = block.filter(({ type }) => type === 'th_open').length
  const heads = cells.slice(0, width).map(textOf)
  const rows = Array.from({ length: cells.length / width - 1 }, (_, row) =>
    cells.slice((row + 1) * width, (row + 2) * width),
  )
  return heads[0] === 'Field' && heads.length === 4 ? fieldRows(rows) : table(heads, rows)
}

function wordsOf(block: readonly Token[]): string {
  return textOf(inline(block.find(({ type }) => type === 'inline')?.children))
}

function inline(tokens: readonly Token[] | null | undefined): Html {
  return new Html(markdown.renderer.renderInline([...(tokens ?? [])], markdown.options, {}))
}

function rendered(tokens: readonly Token[]): Html {
  return new Html(markdown.renderer.render([...tokens], markdown.options, {}))
}

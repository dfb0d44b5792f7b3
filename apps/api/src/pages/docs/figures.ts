import { type CodeSamples, LANGUAGES, SAMPLES } from '../code-samples.ts'
import { type Html, html } from '../html.ts'
import { codeFigure, samplesFigure } from './code-figure.ts'
import { drawErrorFacts, writeErrorFacts } from './errors.ts'
import { pairRow, swapRow } from './event-row.ts'
import { NEW_PAIR_FRAME, SWAP_FRAME } from './example-frames.ts'

/** Content that Markdown has no form for: drawn on the page, written out in its twin. Placed in the text or beside it. */
type Figure = Readonly<{
  isText?: boolean
  draw(argument: string, label: string): Html
  write(argument: string, label: string): string
}>

/** Figures by the name in their placeholder, which is a paragraph: `{{name argument label}}`. */
export type Figures = Readonly<{
  /** @throws if there is no such figure */
  draw(call: string): { isText: boolean; drawing: Html }
  /** The Markdown of a page with every figure written out. */
  write(page: string): string
}>

/** The rows, programs and facts that pages show, and `pulse`; `fill` replaces placeholders in their texts. */
export function createFigures(samples: CodeSamples, fill: (text: string) => string, pulse: Html): Figures {
  const figures: Readonly<Record<string, Figure>> = {
    row: {
      draw: (kind) =>
        kind === 'pair' ? pairRow(NEW_PAIR_FRAME.params.pair) : swapRow(SWAP_FRAME.params.swap),
      write: () => '',
    },
    sample: {
      draw: (id, label) => samplesFigure(label, sampleOf(id), samples),
      write: (id, label) =>
        LANGUAGES.map(
          ({ ending, name }) => `\`\`\`${ending} ${label}: ${name}\n${samples(`${id}.${ending}`)}\n\`\`\``,
        ).join('\n\n'),
    },
    key: {
      draw: () => KEY_FIGURE,
      write: () => '```sh Shell\nexport PAIRWIRE_KEY=<key>\n```',
    },
    pulse: {
      isText: true,
      draw: () =>
        html`<details class="pulse-source"><summary>Source</summary>${codeFigure('pulse.html', samples('pulse.html'))}</details>${pulse}`,
      write: () => `\`\`\`html pulse.html\n${samples('pulse.html')}\n\`\`\``,
    },
    error: {
      isText: true,
      draw: (name) => drawErrorFacts(name, fill),
      write: (name) => writeErrorFacts(name, fill),
    },
  }
  const read = (call: string) => {
    const [, name = '', argument = '', label = ''] =
      /^\{\{(\w+)(?: ([^\s}]+))?(?: ([^}]+))?\}\}$/.exec(call) ?? []
    const figure = figures[name]
    if (!figure) throw new Error(`The docs have no figure ${call}.`)
    return { figure, argument, label }
  }
  return {
    draw(call) {
      const { figure, argument, label } = read(call)
      return { isText: figure.isText ?? false, drawing: figure.draw(argument, label) }
    },
    write: (page) =>
      page.replace(/^(\{\{[^}]*\}\})\n\n?/gm, (_all, call: string) => {
        const { figure, argument, label } = read(call)
        const text = figure.write(argument, label)
        return text && `${text}\n\n`
      }),
  }
}

/** @throws if there is no such sample */
function sampleOf(id: string): (typeof SAMPLES)[number]['id'] {
  const sample = SAMPLES.find((sample) => sample.id === id)
  if (!sample) throw new Error(`The docs have no sample ${id}.`)
  return sample.id
}

/** Where the script inserts the key of the signed-in user. */
const KEY_FIGURE = html`<figure class="code"><div class="code-bar"><figcaption>Shell</figcaption><button type="button" class="code-action" id="show-key" hidden aria-pressed="false">Show</button><button type="button" class="code-action" data-copy><span>Copy</span></button></div><pre tabindex="0"><code>export PAIRWIRE_KEY=<span id="own-key">…</span></code></pre></figure>`

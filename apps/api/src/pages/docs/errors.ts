import { ERROR_PAGES, type ErrorPage, findErrorPage } from '../error-pages.ts'
import { type Html, html } from '../html.ts'

const KINDS = { stream: 'Error code', close: 'Close code', http: 'HTTP status', sdk: 'SDK' }

/** What happened, and what to do about it, in Markdown. */
type Advice = Readonly<{ happened: string; remedy: string }>

/** @throws if `docs/site/parts/errors.md` lacks either for this error */
export function adviceOn(title: string, advice: ReadonlyMap<string, string>): Advice {
  const [happened, remedy] = advice.get(title)?.split('\n\n') ?? []
  if (!happened || !remedy) throw new Error(`docs/site/parts/errors.md has no advice on ${title}.`)
  return { happened, remedy }
}

/** The pages /docs/errors/<name> in Markdown: the refusal on the wire, what happened and what to do. */
export function errorSources(advice: ReadonlyMap<string, string>): { path: string; source: string }[] {
  return ERROR_PAGES.map((page) => {
    const { happened, remedy } = adviceOn(page.title, advice)
    const source = `# ${page.title}

> ${[KINDS[page.kind], page.code].join(' ').trim()}: ${happened}

{{error ${page.name}}}

${example(page)}

## What happened {#happened}

${happened}

## What to do {#remedy}

${remedy}
`
    return { path: `/docs/errors/${page.name}`, source }
  })
}

/** The refusal on the wire. */
function example({ kind, code, title, name, sentence }: ErrorPage): string {
  if (kind === 'http') {
    const body = JSON.stringify({ errorType: title, errorMessage: sentence })
    return block(
      'http The answer',
      `HTTP/1.1 ${code}\nContent-Type: application/json; charset=utf-8\n\n${body}`,
    )
  }
  if (kind === 'sdk') return block('text The error', `${title}: ${sentence}`)
  if (kind === 'close') {
    const frame = { subscription_id: 1, method: 'subscriptionClosed', reason: sentence }
    return `${block('json Last frame', JSON.stringify(frame))}\n\n${block('text Then the close', `${code} ${sentence}`)}`
  }
  const data = { errorType: title, docs: `{{publicUrl}}/docs/errors/${name}` }
  return block(
    'json The answer',
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: sentence, data } }),
  )
}

function block(label: string, text: string): string {
  return `\`\`\`${label}\n${text}\n\`\`\``
}

/** Code and message of an error, and whether to reconnect after it; `fill` replaces placeholders in the message. */
export function drawErrorFacts(name: string, fill: (text: string) => string): Html {
  const { kind, code, title, sentence, comeBack } = findErrorPage(name)!
  return html`<p class="second"><a href="/docs/errors">Errors and close codes</a></p><dl class="facts">
<div><dt>${code === undefined ? 'errorType' : KINDS[kind]}</dt><dd><code>${code ?? title}</code></dd></div>
<div><dt>Message</dt><dd>${fill(sentence)}</dd></div>
${comeBack !== undefined && html`<div><dt>Reconnect automatically?</dt><dd>${comeBack ? 'Yes' : 'No'}</dd></div>`}
</dl>`
}

/** The same in Markdown. */
export function writeErrorFacts(name: string, fill: (text: string) => string): string {
  const { kind, code, title, sentence, comeBack } = findErrorPage(name)!
  const facts = [
    `- ${code === undefined ? 'errorType' : KINDS[kind]}: \`${code ?? title}\``,
    `- Message: ${fill(sentence)}`,
  ]
  if (comeBack !== undefined) facts.push(`- Reconnect automatically? ${comeBack ? 'Yes' : 'No'}`)
  return ['[Errors and close codes](/docs/errors)\n', ...facts].join('\n')
}

import { ERROR_PAGES, type ErrorPage } from '../error-pages.ts'
import { type Html, html } from '../html.ts'
import { codeFigure, framesFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { table } from './fields.ts'

/** /docs/errors: all of them. */
export function errorsPage(): DocPage {
  return {
    path: '/docs/errors',
    title: 'Errors and close codes',
    description:
      'Every error code, close code and error type, each with a page that says what happened and what to do.',
    group: 'Reference',
    lead: html`<p>Every error has a name, and every name has a page here that says what happened and what to do. On the stream, the answer links to the page in <code>error.data.docs</code>.</p>`,
    sections: [
      {
        id: 'stream',
        heading: 'Errors of requests',
        text: errorTable('stream', ['Code', 'errorType', 'What happened']),
      },
      {
        id: 'close',
        heading: 'Close codes',
        text: html`<p>Each subscription gets a last frame, <code>{"subscription_id":1,"method":"subscriptionClosed","reason":"…"}</code>. Then the server closes the connection.</p>${errorTable('close', ['Code', 'Reason', 'What happened', 'Reconnect automatically?'])}`,
      },
      {
        id: 'http',
        heading: 'HTTP API',
        text: errorTable('http', ['Status', 'errorType', 'What happened']),
      },
    ],
  }
}

/** /docs/errors/<name>: what happened and what to do. */
export function errorPages({ publicUrl }: DocsSettings): readonly DocPage[] {
  const kinds = { stream: 'Error code', close: 'Close code', http: 'HTTP status' }

  return ERROR_PAGES.map((page) => ({
    path: `/docs/errors/${page.name}`,
    title: page.title,
    description: `${kinds[page.kind]} ${page.code}: ${page.happened}`,
    group: 'Reference',
    isUnlisted: true,
    lead: html`<p class="second"><a href="/docs/errors">Errors and close codes</a></p><dl class="facts">
<div><dt>${kinds[page.kind]}</dt><dd><code>${page.code}</code></dd></div>
<div><dt>Message</dt><dd>${page.sentence}</dd></div>
${page.comeBack !== undefined && html`<div><dt>Reconnect automatically?</dt><dd>${comeBackWords(page.comeBack)}</dd></div>`}
</dl>`,
    leadCode: example(page, publicUrl),
    sections: [
      { id: 'happened', heading: 'What happened', text: html`<p>${page.happened}</p>` },
      { id: 'remedy', heading: 'What to do', text: html`<p>${page.remedy}</p>` },
    ],
  }))
}

/** The refusal as it travels. */
function example(page: ErrorPage, publicUrl: string): Html {
  if (page.kind === 'http') {
    return codeFigure(
      'The answer',
      `HTTP/1.1 ${page.code}\nContent-Type: application/json; charset=utf-8\n\n${JSON.stringify({ errorType: page.title, errorMessage: page.sentence })}`,
    )
  }
  if (page.kind === 'close') {
    const reason = page.sentence
    return html`${framesFigure('Last frame', [{ subscription_id: 1, method: 'subscriptionClosed', reason }])}${codeFigure('Then the close', `${page.code} ${reason}`)}`
  }
  const docs = `${publicUrl}/docs/errors/${page.name}`
  return framesFigure('The answer', [
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: page.code, message: page.sentence, data: { errorType: page.title, docs } },
    },
  ])
}

function errorTable(kind: ErrorPage['kind'], heads: readonly string[]): Html {
  return table(
    heads,
    ERROR_PAGES.filter((page) => page.kind === kind).map((page) => [
      html`<code>${page.code}</code>`,
      html`<a href="/docs/errors/${page.name}">${page.title}</a>`,
      page.happened,
      ...(page.comeBack === undefined ? [] : [comeBackWords(page.comeBack)]),
    ]),
  )
}

function comeBackWords(comeBack: boolean): string {
  return comeBack ? 'Yes' : 'No'
}

import { routes } from '@pairwire/contract'
import { html } from '../html.ts'
import { ROUTE_SUMMARIES } from '../specs/route-summaries.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { table } from './fields.ts'

/** /docs/http-api: the calls of the dashboard, which programs may make too. */
export function httpApiPage({ publicUrl }: DocsSettings): DocPage {
  return {
    path: '/docs/http-api',
    title: 'HTTP API',
    description:
      'The calls behind the dashboard: sign in, read the account, reset the key; with OpenAPI and AsyncAPI documents.',
    group: 'Reference',
    lead: html`<p>The dashboard is built on these calls, and programs may make them too. Bodies and answers are JSON. Everything is described for machines in <a href="/docs/openapi.json">openapi.json</a>, and the stream in <a href="/docs/asyncapi.json">asyncapi.json</a>.</p>`,
    leadCode: codeFigure(
      'Read the account',
      `curl ${publicUrl}/api/account \\\n  -H "Authorization: Bearer $SESSION_TOKEN"`,
    ),
    sections: [
      {
        id: 'calls',
        heading: 'Calls',
        text: html`${table(
          ['Call', 'Session', 'Does'],
          Object.entries(routes).map(([name, { method, path, session }]) => [
            html`<code>${method} ${path}</code>`,
            session ? 'yes' : 'no',
            // The summaries have the names of the routes, by their type.
            ROUTE_SUMMARIES[name as keyof typeof routes],
          ]),
        )}
<p>A session is the token that <code>/api/authenticate</code> gives for the <code>t</code> of a mailed link; send it as <code>Authorization: Bearer</code>. It ends by itself after 30 days, at once by <code>/api/logout</code>, and with all others of the account by <code>/api/logoutall</code>; a 401 means to sign in again.</p>`,
      },
      {
        id: 'errors',
        heading: 'Errors',
        text: html`<p>Every failed answer has the same form, and each <code>errorType</code> has <a href="/docs/errors#http">a page</a>. One account may make 120 calls a minute, to which signing out does not count; pages and challenges have a rate for one address, too. 429 carries <code>Retry-After</code> in seconds.</p>
<p>One email gets at most 5 login mails an hour by calls from one address, and 50 from everywhere. Beyond that a login call is answered as always and no mail is sent; the links before it go on working.</p>`,
        code: codeFigure(
          'A refusal',
          `HTTP/1.1 401 Unauthorized\nContent-Type: application/json; charset=utf-8\n\n{"errorType":"ERR_LOGIN_REQUIRED","errorMessage":"Sign in first."}`,
        ),
      },
      {
        id: 'machines',
        heading: 'For machines',
        text: html`<ul>
<li><a href="/docs/openapi.json">/docs/openapi.json</a>: OpenAPI 3.1, made from the schemas that the service itself checks with.</li>
<li><a href="/docs/asyncapi.json">/docs/asyncapi.json</a>: AsyncAPI 3.0, the stream.</li>
<li><a href="/llms.txt">/llms.txt</a>: these pages as a list for language models.</li>
</ul>`,
      },
    ],
  }
}

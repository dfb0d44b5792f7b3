import { routes } from '@pairwire/contract'
import { CALLS_PER_ACCOUNT, MAILS_PER_ADDRESS, MAILS_PER_EMAIL } from '../../plugins/rate-limit.ts'
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
      'The calls behind the dashboard: sign in, read the account, reset the key. With OpenAPI and AsyncAPI documents.',
    group: 'Reference',
    lead: html`<p>The dashboard makes these calls, and your programs can make them too. Bodies and answers are JSON. Machines can read <a href="/docs/openapi.json">openapi.json</a> and, for the stream, <a href="/docs/asyncapi.json">asyncapi.json</a>.</p>`,
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
<p><code>/api/authenticate</code> takes the <code>t</code> of an emailed login link and returns a session token. Send it as <code>Authorization: Bearer</code>. A session ends after 30 days. <code>/api/logout</code> ends it at once, and <code>/api/logoutall</code> ends every session of the account. After a 401, sign in again.</p>`,
      },
      {
        id: 'errors',
        heading: 'Errors',
        text: html`<p>Every failed answer has the same form, and each <code>errorType</code> has <a href="/docs/errors#http">a page</a>. An account can make ${CALLS_PER_ACCOUNT} calls a minute, not counting sign-outs. Pages and captcha challenges are limited per address. A 429 has a <code>Retry-After</code> header in seconds.</p>
<p>An email address gets at most ${MAILS_PER_ADDRESS} login emails an hour requested from one network address, and ${MAILS_PER_EMAIL} from all together. Beyond that the answer stays the same, but no email is sent. Earlier links still work.</p>`,
        code: codeFigure(
          'A refusal',
          `HTTP/1.1 401 Unauthorized\nContent-Type: application/json; charset=utf-8\n\n{"errorType":"ERR_LOGIN_REQUIRED","errorMessage":"Sign in first."}`,
        ),
      },
      {
        id: 'machines',
        heading: 'For machines',
        text: html`<ul>
<li><a href="/docs/openapi.json">/docs/openapi.json</a>: OpenAPI 3.1, generated from the schemas that the service validates with.</li>
<li><a href="/docs/asyncapi.json">/docs/asyncapi.json</a>: AsyncAPI 3.0, the stream.</li>
<li><a href="/llms.txt">/llms.txt</a>: these pages as a list for language models.</li>
</ul>`,
      },
    ],
  }
}

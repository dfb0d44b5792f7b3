import { html } from '../html.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { table } from './fields.ts'

/** /docs/many-machines: the parts on their own, for operators: what may die, sizes, costs, what to watch. */
export function manyMachinesPage(): DocPage {
  return {
    path: '/docs/many-machines',
    title: 'Many machines',
    description:
      'Run the parts on their own over NATS and PostgreSQL: what may die, sizes, costs, what to watch.',
    group: 'Reference',
    lead: html`<p>One process serves a small business. A busy one runs several gateways and two readers of the chain, so that any of them may die or restart while clients lose nothing. The parts are joined by NATS with JetStream and by PostgreSQL.</p>`,
    leadCode: codeFigure('One part of it', 'pairwire ingest\npairwire gateway\npairwire api'),
    sections: [
      {
        id: 'the-whole',
        heading: 'The whole',
        text: html`<p>An ingest reads the chain, decodes it and publishes each slot to NATS. The second one reads the same and stands by. Gateways hear each slot at once and keep what <code>RETENTION</code> says for who resumes. The api serves people, mails and payments, and asks the others for what only they know: open connections, the state of the source. When one does not answer in time, the account page and <a href="/status">/status</a> say whose answer is missing.</p>
<p>Keys, plans, counts and seats are in PostgreSQL. A connection limit is exact over all gateways. Rates of an account are told from gateway to gateway four times a second, so that they hold over time.</p>`,
        code: codeFigure('Who speaks to whom', DRAWING),
      },
      {
        id: 'what-may-die',
        heading: 'What may die',
        text: html`<p>Every part comes back by itself and in any order. One that is started without what it needs says which variable is missing, and ends.</p>
${table(
  ['What dies', 'What then happens'],
  DEATHS.map(([what, then]) => [what, then]),
)}`,
      },
      {
        id: 'starting-it',
        heading: 'Starting it',
        text: html`<p>The folder <code>deploy</code> of the repository holds a <code>Dockerfile</code>, a <code>compose.yaml</code> with everything on this page, a <code>Caddyfile</code> for TLS, and units for systemd. Put the variables that <code>compose.yaml</code> names into <code>.env</code>. All parts take the same <code>KEY_ENCRYPTION_SECRET</code>, and the gateways the same <code>SOLANA_SOURCE</code> as the ingests.</p>
<p><code>npm start</code> with <code>NATS_URL</code> and <code>DATABASE_URL</code> is one process that others can join: a first gateway on a second machine needs nothing else.</p>
<p>For a rolling restart stop and start one gateway after the other. Each says 503 at <code>/readyz</code> for a second, then ends its streams in groups with close code 1001 and their cursor within ten seconds. Clients that resume lose nothing.</p>
<p>Use NATS 2.10.23 or newer with <code>sync_interval: always</code>, as <code>nats.conf</code> has it: five messages a second make that cheap. NATS is a buffer, the chain is the truth: what NATS loses is published again, and what nobody has any more is told as a gap.</p>`,
        code: codeFigure(
          'With Compose',
          'docker compose -f deploy/compose.yaml --env-file .env up -d\n\n# a rolling restart\nfor n in 1 2 3; do\n  docker compose -f deploy/compose.yaml --env-file .env restart gateway-$n\ndone',
        ),
      },
      {
        id: 'sizes',
        heading: 'Sizes and costs',
        text: html`<p>Measured on two cores of an Intel Xeon with Node 20: a gateway spends about 1 µs of a core on an event that goes to a client without a filter, and 0.07 µs on one that a filter leaves out; a connection takes 21 to 36 kB. All else here is estimated from that.</p>
${table(
  ['Part', 'Cores', 'Memory', 'Disk'],
  SIZES.map((row) => [...row]),
)}
<p>Three machines with 2 cores and 4 GB of memory each carry the whole of it. Common hosts ask 20 to 40 US dollars a month for one (estimated, 2026). Two things cost more: a client that takes every swap of a busy chain (1,500 a second) is sent 2.3 TB a month, and a Yellowstone endpoint costs some hundred US dollars a month at most providers.</p>`,
      },
      {
        id: 'watch',
        heading: 'What to watch',
        text: html`<p>Each process has its own <code>/healthz</code>, <code>/readyz</code> and <code>/metrics</code>; the latter with <code>METRICS_TOKEN</code> as bearer token. They tell of that process alone. <a href="/status">/status</a> of the api tells of all together, and the proxy of <code>deploy</code> passes only that one on.</p>
${table(
  ['Where', 'What', 'Alarm'],
  WATCHED.map(([where, what, alarm]) => [where, html`<code>${what}</code>`, alarm]),
)}`,
      },
    ],
  }
}

const DRAWING = `people        clients of the stream
  |                  |
[ proxy: TLS, spreads websockets ]
  |            |     |     |
[ api ]      [ 3 gateways     ]
  |            |     |     |
  +--- PostgreSQL ---+-----+   accounts, counts, seats, leases
  |            |     |     |
  +------- NATS -----+-----+   events, messages, questions
          |          |
     [ ingest ] [ ingest, stands by ]
          |          |
        the chain`

const DEATHS: readonly (readonly [string, string])[] = [
  ['An ingest', 'The other one publishes within two seconds. A gap is told only of what neither could get.'],
  [
    'Both',
    'Streams stay open and silent, and /status says that the source is away. Who is back reads on from where it was.',
  ],
  [
    'A gateway',
    'Its clients connect to another one and resume. Its seats are free within 5 s; until then a newcomer who needs one gets 503.',
  ],
  ['The api', 'No dashboard and no mails. Streams go on, and clients connect.'],
  [
    'PostgreSQL',
    'Streams go on. Newcomers get 503. Counts are kept and written when it is back; a gateway that dies meanwhile loses its own.',
  ],
  [
    'NATS',
    'Streams stay open and silent. The ingests keep the newest slots in memory and publish them when it is back.',
  ],
  [
    'The disk of NATS is full',
    'Clients that are connected get every event. What was not kept cannot be resumed to until there is room.',
  ],
]

const SIZES: readonly (readonly [string, string, string, string])[] = [
  ['Ingest', '1 each', '1 GB', '1 GB'],
  ['Gateway', '1 each', '1 GB', 'none'],
  ['Api', '1', '512 MB', '1 GB'],
  ['NATS', '1', '512 MB', 'what RETENTION says; a busy day takes 15 GB'],
  ['PostgreSQL', '1', '1 GB', '1 GB'],
]

const WATCHED: readonly (readonly [string, string, string])[] = [
  ['every process', '/healthz', 'not 200 for a minute; the answer names what is away'],
  ['every process', 'pairwire_part_up', '0 for a minute'],
  ['ingest', 'pairwire_source_lag_seconds', 'above 5 for a minute'],
  ['ingest, api', 'pairwire_disk_free_bytes', 'under 1 GB'],
  ['gateway', 'pairwire_gateway_connections', 'one gateway has all, or none has any'],
  ['gateway', 'pairwire_gateway_refused_upgrades503_total', 'rises: keys or seats cannot be checked'],
  ['gateway', 'pairwire_gateway_queued_bytes', 'above 400 MB: clients read too slowly'],
  ['NATS', 'its disk and memory', 'above 80 %; its monitoring is off until you turn it on'],
  ['PostgreSQL', 'its disk and connections', 'above 80 %'],
]

import { html } from '../html.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { table } from './fields.ts'

/** /docs/many-machines: the parts on their own, for operators: failures, sizes, costs, what to watch. */
export function manyMachinesPage(): DocPage {
  return {
    path: '/docs/many-machines',
    title: 'Many machines',
    description: 'Run the parts separately over NATS and PostgreSQL: failures, sizes, costs, what to watch.',
    group: 'Reference',
    lead: html`<p>One process is enough for a small business. A busy one runs several gateways and two readers of the chain. Any of them can die or restart, and clients lose nothing. NATS with JetStream and PostgreSQL connect the parts.</p>`,
    leadCode: codeFigure('One part each', 'pairwire ingest\npairwire gateway\npairwire api'),
    sections: [
      {
        id: 'the-whole',
        heading: 'Overview',
        text: html`<p>An ingest reads the chain, decodes it and publishes each slot to NATS. A second ingest reads the same and stands by. Every gateway gets each slot at once and keeps the stream for <code>RETENTION</code>, for clients that resume. The api serves the dashboard, emails and payments. It asks the other parts for things only they know: open connections, the state of the source. If a part does not answer in time, the account page and <a href="/status">/status</a> name it.</p>
<p>Keys, plans, counts and seats are in PostgreSQL. A connection limit is exact across all gateways. The gateways exchange the rates of each account four times a second, so rate limits hold over time.</p>`,
        code: codeFigure('Who speaks to whom', DRAWING),
      },
      {
        id: 'what-may-die',
        heading: 'Failures',
        text: html`<p>Every part recovers by itself, in any order. If a setting is missing, the part names the variable and exits.</p>
${table(
  ['What fails', 'What happens'],
  DEATHS.map(([what, then]) => [what, then]),
)}`,
      },
      {
        id: 'starting-it',
        heading: 'Starting it',
        text: html`<p>The folder <code>deploy</code> of the repository holds a <code>Dockerfile</code>, a <code>compose.yaml</code> with everything on this page, a <code>Caddyfile</code> for TLS, and units for systemd; its <code>README.md</code> has every step. Put the variables that <code>compose.yaml</code> names into <code>.env</code>. Give all parts the same <code>KEY_ENCRYPTION_SECRET</code>, and give the gateways the same <code>SOLANA_SOURCE</code> as the ingests.</p>
<p>With <code>NATS_URL</code> and <code>DATABASE_URL</code>, <code>npm start</code> runs one process that others can join. To add a gateway, give NATS a user for that process, start the gateway, and name it to the proxy: <code>deploy/README.md</code> has the four steps.</p>
<p>To upgrade, renew the gateways one at a time, then the ingests, then the api; old and new versions work side by side. The first new process updates the database, and old ones go on working with it. Do not use <code>docker compose restart</code>: it keeps the old image and settings. With systemd, prepare the new version in a folder of its own, as <a href="/docs/self-hosting#upgrading">Upgrading</a> shows, and restart <code>pairwire-gateway@8082</code> and its siblings one at a time. A gateway that stops answers 503 at <code>/readyz</code> for a second. Then, within ten seconds, it closes its streams in groups, with close code 1001 and their cursor. Clients that resume lose nothing.</p>
<p>Use NATS 2.10.23 or newer with <code>sync_interval: always</code>, as in <code>nats.conf</code>: then NATS acknowledges only what is on the disk. At five messages a second that is cheap. Our tests run this file on 2.10.27. NATS is a buffer and the chain is the source of truth: the ingests publish again whatever NATS loses. The stream reports a gap for events that can no longer be recovered.</p>`,
        code: codeFigure(
          'With Compose',
          'docker compose -f deploy/compose.yaml --env-file .env up -d --build --wait\n\n# an upgrade\ndocker compose -f deploy/compose.yaml --env-file .env build\nfor part in gateway-1 gateway-2 gateway-3 ingest-2 ingest-1 api; do\n  docker compose -f deploy/compose.yaml --env-file .env up -d --no-deps --wait $part\ndone',
        ),
      },
      {
        id: 'logins',
        heading: 'Logins and TLS between machines',
        text: html`<p><code>nats.conf</code> has a login for each kind of part: <code>ingest</code>, <code>gateway</code> and <code>api</code>. Each may do only what its part does. Only an ingest can publish events or change the streams, and only the api can close connections. So nobody with a gateway’s password can forge events or throw customers out. A whole service that others join (<code>npm start</code> with <code>NATS_URL</code>) does the work of all three: give it a user of its own without permissions. Before this version there was one <code>NATS_PASSWORD</code>. Now <code>.env</code> needs <code>NATS_INGEST_PASSWORD</code>, <code>NATS_GATEWAY_PASSWORD</code> and <code>NATS_API_PASSWORD</code>.</p>
<p>On a production host, a part does not start without a login. It also does not start if NATS is at a public address and the connection is not encrypted. Between machines, use a private network, or TLS: give <code>nats.conf</code> a <code>tls</code> block with <code>cert_file</code> and <code>key_file</code>, and write <code>tls://</code>. Name the server as its certificate does. If your own authority signed the certificate, add <code>?ca=</code> with the path of its PEM file.</p>`,
        code: codeFigure(
          'NATS on another machine',
          '# nats.conf\ntls {\n  cert_file: /etc/nats/server.pem\n  key_file: /etc/nats/server.key\n}\n\n# the environment of a gateway\nNATS_URL=tls://gateway:<password>@nats.example.com:4222',
        ),
      },
      {
        id: 'operating',
        heading: 'The operator’s tool, and backups',
        text: html`<p>The operator’s tool talks to the api, so it needs the api’s <code>DATA_DIR</code>: <code>sudo -u pairwire-api env DATA_DIR=/var/lib/pairwire-api node /opt/pairwire/apps/standalone/dist/pairwire.js account show mara@example.com</code>. With Compose: <code>docker exec deploy-api-1 node apps/standalone/dist/pairwire.js account show mara@example.com</code>.</p>
<p>Back up three things: PostgreSQL, the volumes of the api (history of <a href="/status">/status</a>) and the ingests (names of tokens, place on the chain), and <code>.env</code>. Without its <code>KEY_ENCRYPTION_SECRET</code> no API key works. NATS needs no backup. <code>deploy/README.md</code> has the commands, also for restoring.</p>`,
      },
      {
        id: 'sizes',
        heading: 'Sizes and costs',
        text: html`<p>We measured these figures on two cores of an Intel Xeon with Node 20. To send an event to a client without a filter, a gateway needs about 1 µs of a core. If a filter drops the event, it needs 0.07 µs. A connection takes 21 to 36 kB. We estimated everything else from these figures.</p>
${table(
  ['Part', 'Cores', 'Memory', 'Disk'],
  SIZES.map((row) => [...row]),
)}
<p>Three machines with 2 cores and 4 GB of memory each carry all of it. Common hosts charge 20 to 40 US dollars a month for one (estimated, 2026). Two things cost more. A client that takes every swap on a busy chain (1,500 a second) receives 2.3 TB a month. Most providers charge several hundred US dollars a month for a Yellowstone endpoint.</p>`,
      },
      {
        id: 'watch',
        heading: 'What to watch',
        text: html`<p>Each process has its own <code>/healthz</code>, <code>/readyz</code> and <code>/metrics</code>, which cover only that process. <code>/metrics</code> needs <code>METRICS_TOKEN</code> as bearer token. <a href="/status">/status</a> on the api covers all of them. Of these, the proxy in <code>deploy</code> passes only <code>/status</code> on.</p>
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
  [
    'An ingest',
    'The other one publishes within two seconds. The stream reports a gap only for slots that neither could get.',
  ],
  [
    'Both',
    'Streams stay open and silent, and /status says that the source is down. The first ingest to return continues where it stopped.',
  ],
  [
    'A gateway',
    'Its clients connect to another one and resume. Its seats are freed within 5 s. Until then a new connection that needs one of them gets 503.',
  ],
  ['The api', 'No dashboard and no emails. Streams keep working, and clients can connect.'],
  [
    'PostgreSQL',
    'Streams keep working. New connections get 503. Gateways hold their counts and write them when it is back. A gateway that dies before then loses its counts.',
  ],
  [
    'NATS',
    'Streams stay open and silent. The ingests keep the newest slots in memory and publish them when it is back.',
  ],
  [
    'NATS’s disk is full',
    'Connected clients get every event, but nothing new is stored for clients that resume. The ingests’ /healthz names the bus. Make room, then restart NATS: until then it stores nothing. NATS 2.9 may stop answering altogether, and then streams fall silent.',
  ],
]

const SIZES: readonly (readonly [string, string, string, string])[] = [
  ['Ingest', '1 each', '1 GB', '1 GB'],
  ['Gateway', '1 each', '1 GB', 'none'],
  ['Api', '1', '512 MB', '1 GB'],
  ['NATS', '1', '512 MB', 'as RETENTION says; a busy day takes 15 GB'],
  ['PostgreSQL', '1', '1 GB', '1 GB'],
]

const WATCHED: readonly (readonly [string, string, string])[] = [
  ['every process', '/healthz', 'not 200 for a minute; the answer names the part that is down'],
  ['every process', 'pairwire_part_up', '0 for a minute'],
  ['ingest', 'pairwire_source_up', '0 for a minute'],
  ['ingest', 'pairwire_source_lag_seconds', 'above 5 for a minute'],
  ['ingest', 'pairwire_source_unreadable_total', 'rises: a provider may have changed its format'],
  [
    'ingest',
    'pairwire_audit_faults_total',
    'rises: events were missing, extra or different. One slot a minute is checked; below 99 % correct in the last 60 (from the tenth on), /status and the banner say so',
  ],
  ['ingest', 'pairwire_decoder_alarm', 'any: a program has instructions that this release does not know'],
  ['ingest, api', 'pairwire_disk_free_bytes', 'under 1 GB'],
  [
    'gateway',
    'pairwire_gateway_newest_slot_age_seconds',
    'above 10 for a minute: no slot reaches it; look at NATS and the ingests',
  ],
  ['gateway', 'pairwire_gateway_connections', 'one gateway has all, or none has any'],
  ['gateway', 'pairwire_gateway_refused_upgrades503_total', 'rises: keys or seats cannot be checked'],
  ['gateway', 'pairwire_gateway_queued_bytes', 'above 400 MB: clients read too slowly'],
  ['NATS', 'its disk and memory', 'above 80 %; its monitoring is off until you turn it on'],
  ['PostgreSQL', 'its disk and connections', 'above 80 %'],
]

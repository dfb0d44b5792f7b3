import { html } from '../html.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { table } from './fields.ts'
import { goingLive } from './going-live.ts'

/** /docs/self-hosting: from a clone to a public host. */
export function selfHostingPage(): DocPage {
  return {
    path: '/docs/self-hosting',
    title: 'Self-hosting',
    description: 'Run the whole service on one machine with one command; every setting explained.',
    group: 'Reference',
    lead: html`<p>Pairwire is open source from the chain to the browser. It only needs Node 20.19 or newer.</p>`,
    leadCode: codeFigure('Start it', 'git clone <repository> pairwire && cd pairwire\nnpm start'),
    sections: [
      {
        id: 'first-run',
        heading: 'The first run',
        text: html`<p><code>npm start</code> installs missing packages, builds whatever has changed, and runs the whole product in one process at <code>http://localhost:8080</code>. When it is ready it prints <code>Pairwire is ready at …</code>. Without any settings it streams a simulated market, stores everything under <code>./data</code>, and shows its emails at <code>/dev/mail</code>. It also prints a <code>wscat</code> command that you can run in a terminal as is. The key in it works only on this machine, belongs to no account, and changes at every start.</p>
<p>The mailbox, the checkout’s <code>/sandbox</code> and, without a token, <code>/metrics</code> are only for people using this machine. They answer if <code>PUBLIC_URL</code>, <code>HOST</code> and the request’s <code>Host</code> are <code>localhost</code> or a loopback address, and no proxy forwarded the request. Everyone else gets a 404.</p>`,
      },
      goingLive(),
      {
        id: 'settings',
        heading: 'Settings',
        text: html`<p>Settings are environment variables. If a value is wrong or missing, the service does not start and names the variable.</p>
${table(
  ['Variable', 'Default', 'Meaning'],
  SETTINGS.map(([names, usual, meaning]) => [
    html`${names.map((name) => html`<span class="variable"><code>${name}</code></span> `)}`,
    usual,
    meaning,
  ]),
)}`,
      },
      {
        id: 'public',
        heading: 'A public host',
        text: html`<p>Put an https proxy in front, and set <code>PUBLIC_URL</code> to its address. An address that is https or not on this machine turns on the production rules: no simulator, no emails on the terminal, no built-in checkout, and secrets are required. The service refuses an address without https; <code>ALLOW_INSECURE=1</code> lifts only that rule.</p>
<p>Let the proxy pass websocket upgrades on <code>/</code> to the same port, name it in <code>TRUST_PROXY</code>, and do not let it log query strings: they may hold a key.</p>
<p>Before others use it, replace the <a href="/docs/terms">terms</a>, the <a href="/docs/privacy">privacy policy</a> and the <a href="/docs/disclaimer">disclaimer</a> with your own, in <code>apps/api/src/pages/docs/legal.ts</code>.</p>`,
        code: codeFigure(
          'Environment of a public host',
          `PUBLIC_URL=https://stream.example
TRUST_PROXY=127.0.0.1
SOLANA_SOURCE=yellowstone+https://grpc.example
SOLANA_SOURCE_TOKEN=<token>
SMTP_URL=smtps://user:password@mail.example
MAIL_FROM="Pairwire <hello@stream.example>"
SESSION_SECRET=<32 characters or more>
KEY_ENCRYPTION_SECRET=<32 characters or more>`,
        ),
      },
      {
        id: 'one-machine',
        heading: 'One machine, step by step',
        text: html`<p>The folder <code>deploy</code> of the repository holds a unit for systemd and, in <code>one-machine</code>, a <code>Caddyfile</code> and a <code>compose.yaml</code>. Its <code>README.md</code> has every step, also for Compose and with PostgreSQL. Caddy 2.6 or newer gets the certificates by itself. With Caddy 2.7 or newer, set its <code>STREAM_OPTIONS</code> to <code>stream_close_delay 24h</code>: then reloading its configuration ends no streams. Version 2.6 ends them all, and clients resume. The unit restarts the service when it ends, and when its main loop has stood still for two minutes. Docker restarts only what ends.</p>`,
        code: codeFigure(
          'As root, with systemd and Caddy',
          `useradd --system pairwire && install -D -m 600 /dev/null /etc/pairwire/environment
editor /etc/pairwire/environment   # as above
git clone <repository> /opt/pairwire-1 && cd /opt/pairwire-1
node scripts/prepare.mjs && ln -sfn /opt/pairwire-1 /opt/pairwire
cp deploy/systemd/pairwire.service /etc/systemd/system/ && systemctl enable --now pairwire
cp deploy/one-machine/Caddyfile /etc/caddy/Caddyfile
systemctl edit caddy   # [Service] Environment=PUBLIC_HOST=stream.example
systemctl restart caddy`,
        ),
      },
      {
        id: 'payments',
        heading: 'Taking payments',
        text: html`<p>On your own machine, checkout and Manage Plan are pages of the service itself, and no card is charged. On a public host, set up <a href="https://developer.paddle.com/">Paddle</a>. Until then nobody can pay, and you grant plans as the operator. If you set Paddle up on your own machine, the service uses Paddle’s sandbox.</p>
<p>Let Paddle send its notifications about subscriptions, completed transactions and adjustments to <code>/api/billing/webhook</code>. The service refuses a report whose signature is invalid or older than half a minute, so keep your clock right. It applies each report once, in any order. A report dated more than half a minute ahead counts from its arrival.</p>
<p>Make <code>/dashboard/payment</code> Paddle’s default payment link, and let the API key read customers, write customer portal sessions, and read and write subscriptions. A paid plan lasts seven days after a failed payment. If one account has two paid plans, the later one counts: refund the other. A full refund ends the plan here, but not at Paddle. When such an account is deleted, the service first ends the subscription at Paddle.</p>
<p>When you change the price of a plan at Paddle, put the new price before the old one, separated by a comma, and restart. A subscription with an unknown price keeps its plan: the log says so, and <code>pairwire_billing_unknown_price_subscriptions</code> at <code>/metrics</code> rises. The service applies the report at the first start that knows the price. <code>pairwire_billing_gone_account_subscriptions</code> rises when Paddle charges for a deleted account: refund the payment. Set an alarm on both.</p>`,
      },
      {
        id: 'operator',
        heading: 'The operator’s tool',
        text: html`<p>It talks to the running service over a socket in <code>DATA_DIR</code> that only its owner can open. It prints accounts as JSON.</p>
<p>On a host that serves others, run it as the service’s user with the service’s <code>DATA_DIR</code>, and without <code>npm run</code>, which may reinstall the packages that the service is using: <code>sudo -u pairwire env DATA_DIR=/var/lib/pairwire node /opt/pairwire/apps/standalone/dist/pairwire.js account show mara@example.com</code>. With Compose: <code>docker exec pairwire-pairwire-1 node apps/standalone/dist/pairwire.js account show mara@example.com</code>.</p>`,
        code: codeFigure(
          'Shell',
          `npm run pairwire -- account create mara@example.com --plan pro
npm run pairwire -- account plan mara@example.com pro --connections 5
npm run pairwire -- key reset mara@example.com
npm run pairwire -- status add "Maintenance at 12:00 UTC."
npm run pairwire -- status clear
npm run --silent pairwire -- decode recordings
npm run pairwire -- check-source yellowstone+https://grpc.example
npm run pairwire -- chain --port 10000`,
        ),
      },
      {
        id: 'audit',
        heading: 'Auditing the stream',
        text: html`<p><code>audit</code> fetches the blocks again from an RPC, decodes them, and compares them event by event with the stream that <code>DATA_DIR</code> keeps for resuming. If <code>NATS_URL</code> is set, as for the api of several processes, it reads the stream from NATS. It prints a line for each event that is missing, extra or different, with its signature, and the totals per venue. Its exit status is 0 if everything matches the chain, 1 if something does not, and 2 if it could not compare. It changes nothing, and works whether or not the service is running. It does not compare US dollar values or token names from an earlier transaction.</p>`,
        code: codeFigure(
          'Shell',
          `npm run pairwire -- audit --from-slot 454000000 --to-slot 454000999 --source rpc+https://rpc.example`,
        ),
      },
      {
        id: 'upgrading',
        heading: 'Upgrading',
        text: html`<p>Back up first. Prepare the new version in a folder of its own, point the link at it and restart: what is running keeps its files. The new version updates the database when it starts. Clients are sent away with close code 1001 and resume a few seconds later. To go back, point the link at the old folder and restart. If <code>/opt/pairwire</code> is still a clone and not a link, read <code>deploy/README.md</code> first: its files have to move. If your version kept no sessions in its database yet, everybody is signed out once and signs in again by email.</p>`,
        code: codeFigure(
          'As root',
          'git clone <repository> /opt/pairwire-2 && cd /opt/pairwire-2\nnode scripts/prepare.mjs && ln -sfn /opt/pairwire-2 /opt/pairwire\nsystemctl restart pairwire\n\n# with Compose\ngit pull\ndocker compose -f deploy/one-machine/compose.yaml --env-file .env up -d --build --wait',
        ),
      },
      {
        id: 'keeping',
        heading: 'Backups',
        text: html`<p>Back up <code>DATA_DIR</code> including its <code>secrets.json</code>. If you keep the two secrets elsewhere, as a public host does, back up <code>/etc/pairwire</code> or <code>.env</code> too: without them no session and no API key works, and the service does not start with that database. Keep them apart from the rest, because both together open every key.</p>
<p>With PostgreSQL, take a dump as below. <code>DATA_DIR</code> then still holds the history of <a href="/status">/status</a>, the names of tokens and the place on the chain. You do not need <code>stream</code>: without it, a client that resumes gets -32014 and subscribes anew.</p>
<p>The service dumps the embedded database to <code>database/dump.tar.gz</code> once a day and whenever it stops. If <code>database/cluster</code> is missing or does not open, the service restores the dump and logs that it did. While the service runs, leave <code>database/cluster</code> out of a copy: the dump beside it is whole. Only one process at a time can use the folder, even if containers share it.</p>`,
        code: codeFigure(
          'Back up and restore',
          'umask 077   # for root alone\nsudo -u postgres pg_dump --format=custom pairwire > pairwire.dump\n\n# on the new machine, before the first start\nsudo -u postgres createdb --owner pairwire pairwire\nsudo -u postgres pg_restore --dbname=pairwire --no-owner --role=pairwire \\\n  --exit-on-error < pairwire.dump',
        ),
      },
      {
        id: 'watching',
        heading: 'Monitoring',
        text: html`<p><code>/healthz</code> is 200 while every part is up and the disk has room; otherwise it names the part. <code>/readyz</code> is 200 while the service can take traffic. <code>/metrics</code> is for Prometheus, with <code>METRICS_TOKEN</code> as bearer token. <a href="/status">/status</a> is for people. The last two show the price of SOL, its age, how many pools agree on it and how far apart they are. For a live chain they show every endpoint with its state, version and slot, any trouble, and how many missing slots were recovered. They also show how many new pairs have a name and a picture within a second and within a minute. To get these, the service reads strangers’ pages over https, from public addresses only.</p>
<p>If there is an RPC, the service checks one slot a minute the way <code>audit</code> does. /status shows the share of correct events and the last ten faults by signature. <code>pairwire_audit_faults_total</code> counts them. After a program is upgraded, the service may not know its new calls. Then the banner, the log and /status say so, and <code>pairwire_decoder_alarm</code> at <code>/metrics</code> has the share. Set an alarm on both. <code>DATA_DIR/unknown</code> keeps the last twenty transactions of each unknown kind. After you update Pairwire, <code>npm run pairwire -- decode data/unknown</code> shows what they are.</p>`,
      },
    ],
  }
}

/** Names, default, meaning. A test holds it against what the configuration reads. */
const SETTINGS: readonly (readonly [readonly string[], string, string])[] = [
  [['PORT', 'HOST'], '8080, 127.0.0.1', 'Where it listens.'],
  [
    ['PUBLIC_URL'],
    'http://localhost:PORT',
    'The address that links in emails point to. An https address, or one that is not on this machine, turns on the production rules.',
  ],
  [['ALLOW_INSECURE'], 'not set', '1 allows a PUBLIC_URL without https that is not on this machine.'],
  [['DATA_DIR'], './data', 'Where the service stores its files.'],
  [['DATABASE_URL'], 'embedded database', 'Your own PostgreSQL instead.'],
  [
    ['NATS_URL'],
    'the bus within the process',
    'NATS with JetStream instead. If DATABASE_URL is set too, more parts can run beside this process; see Many machines.',
  ],
  [
    ['SOLANA_SOURCE'],
    'simulator',
    'simulator, simulator?swaps=500, replay:<file or folder> of getTransaction results, or the live chain: yellowstone+https://<host> or rpc+https://<host>, several separated by spaces, or one logs+wss://<host> without any other.',
  ],
  [
    ['SOLANA_SOURCE_TOKEN'],
    'none',
    'Token for the live source (x-token); several separated by spaces, in the order of the sources.',
  ],
  [
    ['RETENTION'],
    '24h 10GB',
    'How long and how much of the stream stays on disk: a time in m, h or d, a size in MB, GB or TB, or both. The first limit reached counts.',
  ],
  [['SOLANA_RPC_URL'], 'the source, if it is an RPC', 'The RPC for missed blocks and token names.'],
  [['SMTP_URL', 'MAIL_FROM'], 'terminal and /dev/mail', 'The mail server, and the sender of emails.'],
  [
    ['TRUST_PROXY'],
    'none',
    'Proxies trusted to report the client’s address: addresses or ranges, separated by commas. The service refuses a range that covers nearly everyone.',
  ],
  [['CONNECT_RATE_PER_ADDRESS'], '50 a second', 'New stream connections from one address.'],
  [
    ['AUTH_RATE_PER_ADDRESS'],
    '10 a minute',
    'Calls to register, log in or open a login link from one address.',
  ],
  [
    ['SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'],
    'generated and kept in DATA_DIR',
    '32 characters or more, random. Required on a public host.',
  ],
  [
    ['PAYMENT_PROVIDER'],
    'sandbox; none on a public host',
    'Payment provider: paddle, or sandbox, the built-in pages that charge no card.',
  ],
  [
    ['PADDLE_API_KEY', 'PADDLE_CLIENT_TOKEN', 'PADDLE_WEBHOOK_SECRET'],
    'none',
    'Required with paddle. Find them in Paddle under Authentication and Notifications.',
  ],
  [
    ['PADDLE_PRICE_1', 'PADDLE_PRICE_2', 'PADDLE_PRICE_3'],
    'none',
    'Required with paddle: the id of each plan’s monthly price, by plan id. Several are separated by commas: the first is for new customers, the others are for existing ones.',
  ],
  [['PADDLE_API_URL'], 'Paddle’s own', 'The address of Paddle’s API, if you need another one.'],
  [
    ['CAPTCHA_PROVIDER', 'RECAPTCHA_SITE_KEY', 'RECAPTCHA_SECRET'],
    'altcha',
    'altcha works as is; recaptcha needs the other two.',
  ],
  [
    ['METRICS_TOKEN'],
    'none',
    'With this bearer token other machines can read /metrics. Without it only this machine can.',
  ],
  [['STATUS_URL'], '/status', 'The page that System Status in the menu opens.'],
  [
    ['SUPPORT_EMAIL', 'DISCORD_URL', 'GITHUB_URL', 'X_URL', 'REDDIT_URL'],
    'placeholders',
    'How people reach you.',
  ],
  [['SENTRY_DSN'], 'none', 'Reports page errors to Sentry, on a production host only.'],
  [['CRISP_WEBSITE_ID'], 'none', 'Livechat opens Crisp, loaded when the button is pressed.'],
  [
    ['CLARITY_PROJECT_ID'],
    'none',
    'Session tracking with Clarity, from the first click. All text is masked.',
  ],
]

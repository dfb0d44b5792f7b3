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
    description: 'Run the whole service on one machine with one command, and every setting it takes.',
    group: 'Reference',
    lead: html`<p>Pairwire is open source from the chain to the browser. Node 20.19 or newer is all that it needs.</p>`,
    leadCode: codeFigure('Start it', 'git clone <repository> pairwire && cd pairwire\nnpm start'),
    sections: [
      {
        id: 'first-run',
        heading: 'The first run',
        text: html`<p><code>npm start</code> installs what is missing, builds what is stale, and runs the whole product in one process at <code>http://localhost:8080</code>. It says <code>Pairwire is ready at …</code> when it is. Without any setting it streams a simulated market, keeps everything under <code>./data</code>, and shows the mails that it would send at <code>/dev/mail</code>. It also prints a <code>wscat</code> command that works as it stands: its key answers on this machine only, belongs to no account, and changes at every start.</p>
<p>The mailbox, the checkout’s <code>/sandbox</code> and, without a token, <code>/metrics</code> are for a person at this machine alone: they answer while <code>PUBLIC_URL</code>, <code>HOST</code> and the request’s <code>Host</code> are <code>localhost</code> or a loopback address and no proxy has passed the request on. To everyone else they are a 404.</p>`,
      },
      goingLive(),
      {
        id: 'settings',
        heading: 'Settings',
        text: html`<p>Settings are environment variables. A wrong or missing value stops the start with a sentence that names the variable.</p>
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
        text: html`<p>Put a proxy that speaks https before it, and set <code>PUBLIC_URL</code> to its address. An https address, like any address that is not of this machine, turns the production rules on: no simulator, no mails on the terminal, no built-in checkout, and secrets are required. One without https is refused, unless <code>ALLOW_INSECURE=1</code>, which lifts that rule and no other.</p>
<p>Let the proxy pass websocket upgrades on <code>/</code> to the same port, name it in <code>TRUST_PROXY</code>, and keep it from logging query strings: a key may stand in them.</p>
<p>Before others use it, replace the <a href="/docs/terms">terms</a>, the <a href="/docs/privacy">privacy policy</a> and the <a href="/docs/disclaimer">disclaimer</a> by your own, in <code>apps/api/src/pages/docs/legal.ts</code>.</p>`,
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
        id: 'payments',
        heading: 'Taking payments',
        text: html`<p>At home, checkout and Manage Plan are pages of the service itself, where no card is charged. On a public host name <a href="https://developer.paddle.com/">Paddle</a>; until then nobody can pay, and plans are granted by the operator. On this machine alone Paddle’s sandbox is used.</p>
<p>Let Paddle send its notifications on subscriptions, on completed transactions and on adjustments to <code>/api/billing/webhook</code>. What carries no good signature, or one older than half a minute, is refused, so keep the clock right. Each report is applied once, in whatever order reports come; one that is dated more than half a minute ahead counts from when it came.</p>
<p>Make <code>/dashboard/payment</code> Paddle’s default payment link, and let the API key read customers, write customer portal sessions, and read and write subscriptions. A paid plan stays for seven days after a payment that failed. Two paid plans of one account count as the later one: refund the other. A whole refund ends the plan here and nothing at Paddle; whoever deletes the account after it has the subscription ended there first.</p>
<p>When you change the price of a plan at Paddle, put the new one before the old one, with a comma between, and start again. A subscription whose price no plan names keeps the plan that it had: the log says so, <code>pairwire_billing_unknown_price_subscriptions</code> at <code>/metrics</code> rises, and what was reported is applied at the first start with the price. <code>pairwire_billing_gone_account_subscriptions</code> rises when an account that is gone is charged: give the money back. Set an alarm on both.</p>`,
      },
      {
        id: 'operator',
        heading: 'The operator’s tool',
        text: html`<p>It speaks to the running service over a socket in <code>DATA_DIR</code> that only its owner may open. Accounts are printed as JSON.</p>`,
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
        heading: 'Checking what was published',
        text: html`<p><code>audit</code> asks an RPC for the blocks again, decodes them, and compares them event by event with what <code>DATA_DIR</code> keeps for resuming. It prints a line for each event that is missing, extra or different, with its signature, and the sums by venue. Its exit status is 0 when all was published as the chain has it, 1 when something is at fault, and 2 when it could not compare. It changes nothing, and the service may run or not. US dollars and the names of tokens that an earlier transaction told are not compared.</p>`,
        code: codeFigure(
          'Shell',
          `npm run pairwire -- audit --from-slot 454000000 --to-slot 454000999 --source rpc+https://rpc.example`,
        ),
      },
      {
        id: 'keeping',
        heading: 'Keeping the data',
        text: html`<p>Back up <code>DATA_DIR</code> with its <code>secrets.json</code>, or the two secrets wherever you keep them: without them no session and no API key is good any more, and the service does not start on the database.</p>
<p>The embedded database is dumped to <code>database/dump.tar.gz</code> once a day and at every stop. When <code>database/cluster</code> is missing or cannot be opened, it is made of the dump, and the log says so. One process at a time uses the folder, also where containers share it.</p>`,
      },
      {
        id: 'watching',
        heading: 'Watching it',
        text: html`<p><code>/healthz</code> is 200 while every part is up and the disk has room, and names the part that is not, <code>/readyz</code> while it may take traffic, <code>/metrics</code> is for Prometheus, which brings <code>METRICS_TOKEN</code> as a bearer token, and <a href="/status">/status</a> is for people. Both tell the price of SOL with its age, how many pools agree on it and how far they are apart. Of a live chain both show every endpoint with its state, version and slot, what is wrong in a sentence, and which holes were filled and which were not.</p>`,
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
    'What links in mails point to; https, or any address that is not of this machine, turns the production rules on.',
  ],
  [['ALLOW_INSECURE'], 'not set', '1 allows a PUBLIC_URL of other machines without https.'],
  [['DATA_DIR'], './data', 'Everything that is kept on disk.'],
  [['DATABASE_URL'], 'embedded database', 'A PostgreSQL of your own instead.'],
  [
    ['NATS_URL'],
    'the bus within the process',
    'NATS with JetStream: the parts then run alone, several of each. See Several machines.',
  ],
  [
    ['SOLANA_SOURCE'],
    'simulator',
    'simulator, simulator?swaps=500, replay:<file or folder> of getTransaction results, or the live chain: yellowstone+https://<host> or rpc+https://<host>, several separated by spaces, or logs+wss://<host> alone.',
  ],
  [
    ['SOLANA_SOURCE_TOKEN'],
    'none',
    'Token of the live source (x-token); several separated by spaces, in the order of the sources.',
  ],
  [
    ['RETENTION'],
    '24h 10GB',
    'How much of the stream is kept on disk, and how long: a time in m, h or d, a size in MB, GB or TB, or both, whichever comes first.',
  ],
  [['SOLANA_RPC_URL'], 'the source, if it is an RPC', 'Where blocks that were missed are fetched from.'],
  [['SMTP_URL', 'MAIL_FROM'], 'terminal and /dev/mail', 'Where mails are sent, and who they come from.'],
  [
    ['TRUST_PROXY'],
    'none',
    'Addresses or ranges of proxies whose forwarded client address is believed, with commas between. A range that takes in nearly everyone is refused.',
  ],
  [['CONNECT_RATE_PER_ADDRESS'], '50 a second', 'New stream connections from one address.'],
  [
    ['AUTH_RATE_PER_ADDRESS'],
    '10 a minute',
    'Register and login calls from one address, and as many opened login links.',
  ],
  [
    ['SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'],
    'made and kept in DATA_DIR',
    '32 characters or more, random. Required on a public host.',
  ],
  [
    ['PAYMENT_PROVIDER'],
    'sandbox; none on a public host',
    'Who takes payments: sandbox, on pages of its own where no card is charged, or paddle.',
  ],
  [
    ['PADDLE_API_KEY', 'PADDLE_CLIENT_TOKEN', 'PADDLE_WEBHOOK_SECRET'],
    'none',
    'Needed with paddle: from its pages on authentication and notifications.',
  ],
  [
    ['PADDLE_PRICE_1', 'PADDLE_PRICE_2', 'PADDLE_PRICE_3'],
    'none',
    'Needed with paddle: its monthly price of each plan, by the plan’s id. Several with commas between: the first is for new customers, the others for those who pay them already.',
  ],
  [['PADDLE_API_URL'], 'Paddle’s own', 'Where Paddle’s API is, if not there.'],
  [
    ['CAPTCHA_PROVIDER', 'RECAPTCHA_SITE_KEY', 'RECAPTCHA_SECRET'],
    'altcha',
    'altcha works by itself; recaptcha needs the two others.',
  ],
  [
    ['METRICS_TOKEN'],
    'none',
    'With it as a bearer token others may read /metrics; without it this machine alone may.',
  ],
  [['STATUS_URL'], '/status', 'Where System Status in the menu points.'],
  [
    ['SUPPORT_EMAIL', 'DISCORD_URL', 'GITHUB_URL', 'X_URL', 'REDDIT_URL'],
    'placeholders',
    'Where people find you.',
  ],
  [['SENTRY_DSN'], 'none', 'Reports errors of the pages to Sentry, on a production host only.'],
  [['CRISP_WEBSITE_ID'], 'none', 'Livechat opens Crisp, loaded when the button is pressed.'],
  [
    ['CLARITY_PROJECT_ID'],
    'none',
    'Session tracking by Clarity, from the first press on. All text is masked.',
  ],
]

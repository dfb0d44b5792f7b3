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
        text: html`<p><code>npm start</code> installs what is missing, builds what is stale, and runs the whole product in one process at <code>http://localhost:8080</code>. When it is ready it says <code>Pairwire is ready at …</code>. Without any setting it streams a simulated market, keeps everything under <code>./data</code>, and shows its mails at <code>/dev/mail</code>. It also prints a <code>wscat</code> command that works as it stands. The key in it works only on this machine, belongs to no account, and changes at every start.</p>
<p>The mailbox, the checkout’s <code>/sandbox</code> and, without a token, <code>/metrics</code> are only for a person at this machine. They answer if <code>PUBLIC_URL</code>, <code>HOST</code> and the request’s <code>Host</code> are <code>localhost</code> or a loopback address, and no proxy forwarded the request. Everyone else gets a 404.</p>`,
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
        text: html`<p>Put an https proxy in front, and set <code>PUBLIC_URL</code> to its address. Any address that is https or not on this machine turns the production rules on: no simulator, no mails on the terminal, no built-in checkout, and secrets are required. The service refuses an address without https; <code>ALLOW_INSECURE=1</code> lifts that rule and no other.</p>
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
        id: 'payments',
        heading: 'Taking payments',
        text: html`<p>On your own machine, checkout and Manage Plan are pages of the service itself, and no card is charged. On a public host set up <a href="https://developer.paddle.com/">Paddle</a>. Until then nobody can pay, and the operator grants plans. On your own machine the service uses Paddle’s sandbox.</p>
<p>Let Paddle send its notifications on subscriptions, on completed transactions and on adjustments to <code>/api/billing/webhook</code>. The service refuses a report without a good signature, or with one older than half a minute, so keep your clock right. It applies each report once, in any order. A report dated more than half a minute ahead counts from its arrival.</p>
<p>Make <code>/dashboard/payment</code> Paddle’s default payment link, and let the API key read customers, write customer portal sessions, and read and write subscriptions. A paid plan lasts seven days after a failed payment. If one account has two paid plans, the later one counts: refund the other. A full refund ends the plan here, but not at Paddle. When that account is deleted, the service first ends the subscription at Paddle.</p>
<p>When you change the price of a plan at Paddle, put the new one before the old one, with a comma between, and restart. A subscription with an unknown price keeps its plan: the log says so, and <code>pairwire_billing_unknown_price_subscriptions</code> at <code>/metrics</code> rises. The service applies the report at the first start that knows the price. <code>pairwire_billing_gone_account_subscriptions</code> rises when Paddle charges for a deleted account: give the money back. Set an alarm on both.</p>`,
      },
      {
        id: 'operator',
        heading: 'The operator’s tool',
        text: html`<p>It talks to the running service over a socket in <code>DATA_DIR</code> that only its owner may open. It prints accounts as JSON.</p>`,
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
        text: html`<p><code>audit</code> asks an RPC for the blocks again, decodes them, and compares them event by event with what <code>DATA_DIR</code> keeps for resuming. It prints a line for each event that is missing, extra or different, with its signature, and the sums by venue. Its exit status is 0 if everything matches the chain, 1 if something does not, and 2 if it could not compare. It changes nothing, and works whether the service runs or not. It does not compare US dollars, nor the names of tokens that come from an earlier transaction.</p>`,
        code: codeFigure(
          'Shell',
          `npm run pairwire -- audit --from-slot 454000000 --to-slot 454000999 --source rpc+https://rpc.example`,
        ),
      },
      {
        id: 'keeping',
        heading: 'Keeping the data',
        text: html`<p>Back up <code>DATA_DIR</code> with its <code>secrets.json</code>. If you keep the two secrets elsewhere, back them up too: without them no session and no API key works, and the service does not start on the database.</p>
<p>The service dumps the embedded database to <code>database/dump.tar.gz</code> once a day and at every stop. If <code>database/cluster</code> is missing or does not open, the service restores the dump and says so in the log. Only one process at a time may use the folder, even if containers share it.</p>`,
      },
      {
        id: 'watching',
        heading: 'Watching it',
        text: html`<p><code>/healthz</code> is 200 while every part is up and the disk has room; otherwise it names the part. <code>/readyz</code> is 200 while the service may take traffic. <code>/metrics</code> is for Prometheus, with <code>METRICS_TOKEN</code> as bearer token. <a href="/status">/status</a> is for people. The last two show the price of SOL, its age, how many pools agree on it and how far apart they are. For a live chain they show every endpoint with its state, version and slot, what is wrong, and which holes were filled. They also show how many new pairs have a name and a picture within a second and within a minute. For these the service reads strangers’ pages over https, from public addresses only.</p>
<p>If there is an RPC, the service decodes one slot a minute again and compares it as <code>audit</code> does. /status shows the share that was right and the last ten faults by signature. <code>pairwire_audit_faults_total</code> counts them. After an upgrade of a program the service may not know its new calls. Then the banner, the log and /status say so, and <code>decoderAlarm</code> at <code>/metrics</code> has the share. Set an alarm on both. <code>DATA_DIR/unknown</code> keeps the last twenty transactions of each unknown kind. After an update, <code>npm run pairwire -- decode data/unknown</code> shows what they are.</p>`,
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
    'Where links in mails point. An https address, or one that is not on this machine, turns the production rules on.',
  ],
  [['ALLOW_INSECURE'], 'not set', '1 allows a PUBLIC_URL without https that is not on this machine.'],
  [['DATA_DIR'], './data', 'Everything that is kept on disk.'],
  [['DATABASE_URL'], 'embedded database', 'A PostgreSQL of your own instead.'],
  [
    ['NATS_URL'],
    'the bus within the process',
    'NATS with JetStream instead. With DATABASE_URL too, more parts can run beside this process, as the page Many machines shows.',
  ],
  [
    ['SOLANA_SOURCE'],
    'simulator',
    'simulator, simulator?swaps=500, replay:<file or folder> of getTransaction results, or the live chain: yellowstone+https://<host> or rpc+https://<host>, several separated by spaces, or one logs+wss://<host> without any other.',
  ],
  [
    ['SOLANA_SOURCE_TOKEN'],
    'none',
    'Token of the live source (x-token); several separated by spaces, in the order of the sources.',
  ],
  [
    ['RETENTION'],
    '24h 10GB',
    'How long and how much of the stream stays on disk: a time in m, h or d, a size in MB, GB or TB, or both. The first limit reached counts.',
  ],
  [
    ['SOLANA_RPC_URL'],
    'the source, if it is an RPC',
    'The RPC that gives missed blocks and the names of tokens.',
  ],
  [['SMTP_URL', 'MAIL_FROM'], 'terminal and /dev/mail', 'The mail server, and the sender of mails.'],
  [
    ['TRUST_PROXY'],
    'none',
    'Proxies that may tell the address of a client: addresses or ranges, with commas between. The service refuses a range that covers nearly everyone.',
  ],
  [['CONNECT_RATE_PER_ADDRESS'], '50 a second', 'New stream connections from one address.'],
  [
    ['AUTH_RATE_PER_ADDRESS'],
    '10 a minute',
    'Register and login calls from one address, and opened login links.',
  ],
  [
    ['SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'],
    'made and kept in DATA_DIR',
    '32 characters or more, random. Required on a public host.',
  ],
  [
    ['PAYMENT_PROVIDER'],
    'sandbox; none on a public host',
    'Who takes payments: paddle, or sandbox, the built-in pages that charge no card.',
  ],
  [
    ['PADDLE_API_KEY', 'PADDLE_CLIENT_TOKEN', 'PADDLE_WEBHOOK_SECRET'],
    'none',
    'Needed with paddle. You find them on its pages for authentication and notifications.',
  ],
  [
    ['PADDLE_PRICE_1', 'PADDLE_PRICE_2', 'PADDLE_PRICE_3'],
    'none',
    'Needed with paddle: the monthly price of each plan, by the plan’s id. Several with commas between: the first is for new customers, the others for people who already pay them.',
  ],
  [['PADDLE_API_URL'], 'Paddle’s own', 'Where Paddle’s API is, if it is somewhere else.'],
  [
    ['CAPTCHA_PROVIDER', 'RECAPTCHA_SITE_KEY', 'RECAPTCHA_SECRET'],
    'altcha',
    'altcha works by itself; recaptcha needs the two others.',
  ],
  [
    ['METRICS_TOKEN'],
    'none',
    'Others may read /metrics with this bearer token. Without it only this machine may.',
  ],
  [['STATUS_URL'], '/status', 'Where System Status in the menu points.'],
  [
    ['SUPPORT_EMAIL', 'DISCORD_URL', 'GITHUB_URL', 'X_URL', 'REDDIT_URL'],
    'placeholders',
    'Where people find you.',
  ],
  [['SENTRY_DSN'], 'none', 'Reports errors of the pages to Sentry, only on a production host.'],
  [['CRISP_WEBSITE_ID'], 'none', 'Livechat opens Crisp, loaded when the button is pressed.'],
  [['CLARITY_PROJECT_ID'], 'none', 'Session tracking by Clarity, after the first press. All text is masked.'],
]

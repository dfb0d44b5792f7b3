import type { Accounts, StatusNotice } from '@pairwire/accounts'
import type { Bus } from '@pairwire/bus'
import type { StreamKind, SystemStatus, ThirdParties, TokensAnswer } from '@pairwire/contract'
import type { OwnPages } from '@pairwire/public-fetch'
import type { Billing } from './adapters/billing.ts'
import type { SandboxBilling } from './adapters/billing-sandbox.ts'
import type { Captcha } from './adapters/captcha.ts'
import type { Mailbox } from './adapters/mail-dev.ts'
import type { Logos } from './logos/logos.ts'

/** Everything that the HTTP side needs; only the app that starts knows which adapter it gets. */
export type ApiParts = Readonly<{
  accounts: Accounts
  bus: Pick<Bus, 'sendControl'>
  /** Where sent mails can be read at `/dev/mail`; shown to who is at this machine, and to nobody unless `isLocal`. */
  mailbox: Mailbox | undefined
  /** Resolves once the mails queued so far have been tried, or after 5 s; for `/dev/mail`. */
  mailsSettled(): Promise<void>
  captcha: Captcha
  /** Undefined where plans are not sold. */
  billing: Billing | undefined
  /** The same as `billing` where that is the sandbox: its pages are served here, as the mailbox is. */
  sandbox: SandboxBilling | undefined
  /** Unix milliseconds; may be set back. */
  clock: () => number
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed: () => number
  log: Log
  /** Signs sessions; 32 bytes or more. */
  sessionSecret: Uint8Array
  /** What links in mails point to. */
  publicUrl: string
  /** Whether `publicUrl` is anything but a plain http address of this machine. */
  production: boolean
  /** Whether both `publicUrl` and the address that the server is bound to are of this machine. */
  isLocal: boolean
  /** Bearer token with which `/metrics` answers others than who is at this machine; undefined for none. */
  metricsToken: string | undefined
  /** Whether the data is made up or a recording: then every page says so. */
  simulated: boolean
  /** Websocket address without the key. */
  streamUrl: string
  statusUrl: string
  supportEmail: string
  links: Readonly<{ discord: string; github: string; x: string; reddit: string }>
  /** Services of others that the pages may load. */
  thirdParties: ThirdParties
  /** The operator's notices, newest first: those that stand, and those of the last 90 days. Neither asks the database. */
  notices: Readonly<{ standing(): SystemStatus; all(): readonly StatusNotice[] }>
  sourceState(): SourceState
  gatewayStats(): GatewayStats
  /** An account's open stream connections, oldest first, asked from whoever holds the sockets. */
  openStreams(accountId: string): readonly OpenStream[] | Promise<readonly OpenStream[]>
  /** What is known of these tokens, asked from whoever reads the chain; null for one of which nothing is. */
  lookUpTokens(mints: readonly string[]): Promise<TokensAnswer['tokens']>
  /** Whether each part is up, by its name; may ask the part, for 2 s at most. */
  health(): Readonly<Record<string, boolean>> | Promise<Readonly<Record<string, boolean>>>
  /** Bytes free where data is kept; undefined where that is not known. */
  diskFreeBytes(): number | undefined
  /** What is kept on the disk for who resumes; undefined where nothing is. */
  keptEvents(): Promise<KeptEvents | undefined>
  /** Whether it may take traffic: everything is started and nothing is stopping. */
  ready(): boolean
  /** Where the status page keeps its measurements; undefined to keep them in memory only. */
  statusFile: string | undefined
  /** Where fetched logos are kept; undefined to keep none. */
  logoFolder: string | undefined
  /** Where logos come from, in place of the public internet. */
  logos?: Logos
  /** Where the pages of made-up tokens are served, at `/dev/tokens/`; undefined where the chain is not made up. */
  ownPages?: OwnPages | undefined
  /** Addresses or ranges of the proxies whose forwarded client address is believed. */
  trustProxy: readonly string[]
  /** Register and login calls a minute from one address, and links opened. */
  authRatePerAddress: number
  /** Milliseconds in which a request must have come in whole; 15 s if not given. */
  requestTimeoutMs?: number
  /** Folder of the built web app; undefined to serve none. */
  webRoot: string | undefined
  /** Folder that holds `tokens.css` and `logo.svg`. */
  designRoot: string
  /** This app's `public` folder: styles and scripts of the pages made here. */
  pagesRoot: string
}>

/** What the source of transactions is doing now. */
export type SourceState = Readonly<{
  up: boolean
  /** How far the newest block was behind the clock; null before the first one, and for a recording. */
  lagMs: number | null
  /** Slot of the newest block. */
  latestBlock: number | null
  /** How late the events since the start were: counts by upper bound in milliseconds, the last without one. */
  lags: Readonly<{ bounds: readonly number[]; counts: readonly number[]; sum: number }>
  /** Events published since the start, by exchange as people are shown it; `buys` of the swaps were buys. */
  events: Readonly<Record<string, Readonly<{ newPairs: number; swaps: number; buys: number }>>>
  /** Mean over the last seconds. */
  eventsPerSecond: number
  /** Counters since the start by name, camelCase: each becomes a metric of its own. */
  totals: Readonly<Record<string, number>>
  /** Bytes that gave no event although they may have meant one, by `exchange reason`. */
  refusals: Readonly<Record<string, number>>
  /** What a SOL is worth by the stream's own trades. */
  solPrice: SolPriceState
  /** How the source of a live chain is; undefined for a simulator and for a recording. */
  live?: LiveSourceState | undefined
}>

/** The events that are kept on the disk. */
export type KeptEvents = Readonly<{
  bytes: number
  /** Cursor of the oldest event; undefined before the first. */
  oldestCursor: string | undefined
}>

/** The price of SOL and the pools that it is made of; all null, and no pool, while it is not known. */
export type SolPriceState = Readonly<{
  usdPerSol: number | null
  /** Seconds of block time since the newest trade that it is made of. */
  ageSeconds: number | null
  /** Share by which the highest of its pools stands above the lowest. */
  spread: number | null
  /** The heaviest first. */
  pools: readonly Readonly<{
    address: string
    exchange: string
    /** Whether it is one of those that are known by address, else it is deep enough. */
    isKnown: boolean
    usdPerSol: number
  }>[]
}>

/** How a source of the live chain is; no text in it holds a token. */
export type LiveSourceState = Readonly<{
  /** What is wrong, in a sentence for people; null while nothing is. */
  trouble: string | null
  endpoints: readonly LiveEndpoint[]
  /** Milliseconds from one slot to the next as measured; null before it is known. */
  slotMs: number | null
  /** Holes that were filled, and those that were not, of which a gap was said. */
  holesFilled: number
  holesNotFilled: number
  /** Slots within the gaps that were said. */
  slotsMissed: number
  /** What should never happen on a sound chain, by kind. */
  alarms: Readonly<Record<string, number>>
  /** What sources of its kind cannot see, in sentences for people; absent where they see all. */
  cannotSee?: string
}>

/** How one endpoint of a source is. */
export type LiveEndpoint = Readonly<{
  /** Its kind and its host. */
  name: string
  state: 'connecting' | 'connected' | 'resting'
  /** Its software and version; null before it said so. */
  version: string | null
  /** Newest slot of which it had everything first; null before one. */
  slot: number | null
  /** What it lacks or why it failed; null while nothing is wrong. */
  trouble: string | null
}>

/** What the gateway is doing now, and what it did since the start. */
export type GatewayStats = Readonly<{
  connections: number
  subscriptions: number
  /** Bytes that clients have not taken yet. */
  queuedBytes: number
  /** Bytes of memory behind them: what several clients wait for counts once. */
  heldBytes: number
  /** Counters since the start by name, camelCase: each becomes a metric of its own. */
  totals: Readonly<Record<string, number>>
}>

/** One open stream connection. Times are Unix milliseconds. */
export type OpenStream = Readonly<{
  id: string
  address: string
  client: string
  connectedAt: number
  lastSeenAt: number
  subscriptions: readonly Readonly<{ id: number; kind: StreamKind }>[]
  sentEvents: number
  sentBytes: number
  queuedBytes: number
}>

/** Takes one line; `fields` hold no secrets, no emails and no query strings. */
export type Log = Readonly<{
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}>

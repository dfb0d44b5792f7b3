import type { Accounts, StatusNotice } from '@pairwire/accounts'
import type { Archive } from '@pairwire/archive'
import type { Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type {
  OpenStream,
  SourceKind,
  SourceState,
  SystemStatus,
  ThirdParties,
  TokensAnswer,
} from '@pairwire/contract'
import type { Metrics } from '@pairwire/process'
import type { OwnPages } from '@pairwire/public-fetch'
import type { Billing } from './adapters/billing.ts'
import type { SandboxBilling } from './adapters/billing-sandbox.ts'
import type { Captcha } from './adapters/captcha.ts'
import type { Mailbox } from './adapters/mail-dev.ts'
import type { ArchiveFigures } from './history/archive-keeper.ts'
import type { Logos } from './logos/logos.ts'
import type { DocsSite } from './pages/docs/draw-docs.ts'

/** Everything that the HTTP side needs; only the app that starts knows which adapter it gets. */
export type ApiParts = Readonly<{
  accounts: Accounts
  bus: Pick<Bus, 'sendControl'>
  /** Asks the archiver, wherever it runs. */
  archiver: Pick<Bus, 'request'>
  /** Where sent mails can be read at `/dev/mail`; shown only on this machine, and to nobody unless `isLocal`. */
  mailbox: Mailbox | undefined
  /** Resolves once the mails queued so far have been tried, or after 5 s; for `/dev/mail`. */
  mailsSettled(): Promise<void>
  captcha: Captcha
  /** The hours that are kept; undefined where none are. */
  archive: Archive | undefined
  /** What there is of the hours; undefined where there are none, or not yet looked at. */
  archiveFigures?(): ArchiveFigures | undefined
  /** Whose hours are shown and sold. */
  sourceKind: SourceKind
  /** Whether the source says where in the chain an event stands; what does not cannot be archived. */
  hasPlaces: boolean
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
  /** Bearer token with which `/metrics` answers other machines; undefined for none. */
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
  /** Metrics of parts that this process holds beside the api. */
  metrics: readonly Metrics[]
  /** An account's open stream connections, asked from the gateways, which hold the sockets. */
  openStreams(accountId: string): Promise<OpenStreams>
  /** What is known of these tokens, asked from the ingest, which reads the chain; null for an unknown token. */
  lookUpTokens(mints: readonly string[]): Promise<TokensAnswer['tokens']>
  /** Whether each part is up, by its name; may ask the part, for 2 s at most. */
  health(): Readonly<Record<string, boolean>> | Promise<Readonly<Record<string, boolean>>>
  /** Names of the other processes that did not answer when {@link health} last asked; left out where there are none. */
  missingAnswers?(): readonly string[]
  /** Bytes free where data is kept; undefined where that is not known. */
  diskFreeBytes(): number | undefined
  /** Whether it may take traffic: everything is started and nothing is stopping. */
  ready(): boolean
  /** Where the status page keeps its measurements; undefined to keep them in memory only. */
  statusFile: string | undefined
  /** Where fetched logos are kept; undefined to keep none. */
  logoFolder: string | undefined
  /** Where logos come from, in place of the public internet. */
  logos?: Logos
  /** Where this machine serves pages of tokens: here at `/dev/tokens/` of simulated ones, else the stand-in chain. */
  ownPages?: OwnPages | undefined
  /** Addresses or ranges of the proxies whose forwarded client address is believed. */
  trustProxy: readonly string[]
  /** Register and login calls a minute from one address, and links opened. */
  authRatePerAddress: number
  /** Milliseconds in which a request must have come in whole; 15 s if not given. */
  requestTimeoutMs?: number
  /** Folder of the built web app; undefined to serve none. */
  webRoot: string | undefined
  /** Folder of the built SDK, as it is served. */
  sdkRoot: string
  /** Folder that holds the logo and the mark. */
  designRoot: string
  /** This app's `public` folder: styles and scripts of the pages made here. */
  pagesRoot: string
  docs: DocsSite
}>

/** The open connections of all gateways, oldest first, and the names of gateways that did not answer. */
export type OpenStreams = Readonly<{ open: readonly OpenStream[]; missing: readonly string[] }>

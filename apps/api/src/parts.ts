import type { Accounts, MoneyMonth } from '@pairwire/accounts'
import type { Archive } from '@pairwire/archive'
import type { Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type {
  AnyStream,
  OpenStream,
  ProcessState,
  SourceKind,
  SourceState,
  StreamsWanted,
  ThirdParties,
  TokensAnswer,
} from '@pairwire/contract'
import type { Metrics } from '@pairwire/process'
import type { Brand } from '@pairwire/process/brand'
import type { OwnPages, PublicPost } from '@pairwire/public-fetch'
import type { Billing } from './adapters/billing.ts'
import type { SandboxBilling } from './adapters/billing-sandbox.ts'
import type { Captcha } from './adapters/captcha.ts'
import type { Mailbox } from './adapters/mail-dev.ts'
import type { ArchiveFigures } from './history/archive-keeper.ts'
import type { Logos } from './logos/logos.ts'
import type { NoticeBoard } from './notice-board.ts'
import type { Doctor } from './operator/doctor/check.ts'
import type { DocsSite } from './pages/docs/draw-docs.ts'
import type { WebhookCounts } from './webhook-counts.ts'

/** Everything that the HTTP side needs; only the app that starts it knows which adapters it gets. */
export type ApiParts = Readonly<{
  accounts: Accounts
  bus: Pick<Bus, 'sendControl'>
  /** The kept stream, from which webhooks are sent. */
  stream: Pick<Bus, 'newestCursor' | 'oldestCursor' | 'holds' | 'replay'>
  /** Posts to customers' addresses. */
  posting: PublicPost
  /** Queries the archiver, wherever it runs. */
  archiver: Pick<Bus, 'request'>
  /** Sent mails for `/dev/mail`; shown only on this machine, and to nobody unless `isLocal`. */
  mailbox: Mailbox | undefined
  /** Resolves once the mails queued so far have been tried, or after 5 s; for `/dev/mail`. */
  mailsSettled(): Promise<void>
  captcha: Captcha
  /** The archived hours; undefined if none are archived. */
  archive: Archive | undefined
  /** Figures of the archived hours; undefined if there are none, or before the first check. */
  archiveFigures?(): ArchiveFigures | undefined
  /** The source whose hours are shown and sold. */
  sourceKind: SourceKind
  /** Whether the source gives events a position in the chain; one that does not cannot be archived. */
  hasPlaces: boolean
  /** Undefined if plans are not sold. */
  billing: Billing | undefined
  /** The same as `billing` if that is the sandbox: its pages are served here, like the mailbox. */
  sandbox: SandboxBilling | undefined
  /** Unix milliseconds; may be set back. */
  clock: () => number
  /** Milliseconds since any fixed moment; never steps back. */
  elapsed: () => number
  log: Log
  /** Signs sessions; 32 bytes or more. */
  sessionSecret: Uint8Array
  /** The base address of links in mails. */
  publicUrl: string
  /** Addresses from which the operator's room answers, as `ADMIN_ALLOW` has them; undefined for this machine on a local host. */
  adminAllow: string | undefined
  /** Address of the room on a host of its own; undefined for `publicUrl`. */
  adminUrl: string | undefined
  /** Whether `publicUrl` is anything but a plain http address of this machine. */
  production: boolean
  /** Whether both `publicUrl` and the address that the server is bound to are on this machine. */
  isLocal: boolean
  /** Bearer token with which `/metrics` answers other machines; undefined for none. */
  metricsToken: string | undefined
  /** Whether the data is simulated or a recording: then every page says so. */
  simulated: boolean
  /** Websocket address without the key. */
  streamUrl: string
  statusUrl: string
  supportEmail: string
  /** The name and look of the service. */
  brand: Brand
  /** Who may register: anybody, or only those whom the operator invites. */
  registration: 'open' | 'closed'
  links: Readonly<{ discord: string; github: string; x: string; reddit: string }>
  /** Third-party services that the pages may load. */
  thirdParties: ThirdParties
  /** The operator's notices, newest first: current ones, and those of the last 90 days. Neither queries the database. */
  notices: Pick<NoticeBoard, 'standing' | 'all' | 'maintenance'>
  /** Updates the notices on the pages after the operator changed them. */
  noticesChanged(): Promise<void>
  sourceState(): SourceState
  /** Figures of money of the running month, a minute old at most. */
  moneyNow(): Promise<MoneyMonth>
  /** Cursor of the oldest event that clients can resume from. */
  oldestCursor?(): Promise<string | undefined>
  /** Counts reports of the payment provider. */
  webhooks: WebhookCounts
  /** Where alarms are posted, and the operator's test; undefined for nowhere. */
  alarmUrl: string | undefined
  /** Metrics of other parts in this process. */
  metrics: readonly Metrics[]
  /** An account's open stream connections, queried from the gateways, which hold the sockets. */
  openStreams(accountId: string): Promise<OpenStreams>
  /** Open connections of all accounts, from all gateways, those that stand highest in the sort order. */
  listConnections(wanted: StreamsWanted): Promise<AllConnections>
  /** Every process of the deployment that answers. */
  listProcesses(): Promise<readonly ProcessState[]>
  /** Checks the deployment as this process sees it. */
  doctor: Doctor
  /** Details of these tokens, queried from the ingest, which reads the chain; null for an unknown token. */
  lookUpTokens(mints: readonly string[]): Promise<TokensAnswer['tokens']>
  /** Whether each part is up, by its name; may query the part, for 2 s at most. */
  health(): Readonly<Record<string, boolean>> | Promise<Readonly<Record<string, boolean>>>
  /** Names of the other processes that did not answer the last call of {@link health}; omitted if there are none. */
  missingAnswers?(): readonly string[]
  /** Bytes free where data is stored; undefined if unknown. */
  diskFreeBytes(): number | undefined
  /** Whether it may take traffic: everything has started and nothing is stopping. */
  ready(): boolean
  /** File in which the status page stores its measurements; undefined to keep them in memory only. */
  statusFile: string | undefined
  /** Folder for fetched logos; undefined to store none. */
  logoFolder: string | undefined
  /** Where logos come from, instead of the public internet. */
  logos?: Logos
  /** Where this machine serves token pages: here at `/dev/tokens/` for simulated ones, else on the stand-in chain. */
  ownPages?: OwnPages | undefined
  /** Addresses or ranges of the proxies whose forwarded client address is trusted. */
  trustProxy: readonly string[]
  /** Register and login calls per minute from one address, and links opened. */
  authRatePerAddress: number
  /** Milliseconds in which a request must arrive completely; 15 s by default. */
  requestTimeoutMs?: number
  /** Folder of the built web app; undefined to serve none. */
  webRoot: string | undefined
  /** Folder of the operator's built room; undefined to serve none. */
  adminRoot: string | undefined
  /** Folder of the built SDK, as it is served. */
  sdkRoot: string
  /** Folder of the logo and the mark. */
  designRoot: string
  /** This app's `public` folder: styles and scripts of the pages made here. */
  pagesRoot: string
  docs: DocsSite
}>

/** The open connections of all gateways, oldest first, and the names of gateways that did not answer. */
export type OpenStreams = Readonly<{ open: readonly OpenStream[]; missing: readonly string[] }>

/** Open connections, and the names of gateways that did not answer. */
export type AllConnections = Readonly<{ rows: readonly AnyStream[]; missing: readonly string[] }>

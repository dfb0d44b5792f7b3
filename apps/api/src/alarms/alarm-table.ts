import type { AlarmFacts } from '@pairwire/accounts'
import { DAY_MS, MINUTE_MS, type ProcessState, type SourceState } from '@pairwire/contract'
import { LAG_NOTICE_MS } from '../system-status.ts'

/** What a look knows. A member that could not be read is undefined: then alarms that need it stay as they are. */
export type Seen = AlarmFacts &
  Readonly<{
    /** Unix milliseconds. */
    now: number
    source: SourceState
    /** Whether each part is up, as `/healthz` says it. */
    parts: Readonly<Record<string, boolean>> | undefined
    processes: readonly ProcessState[] | undefined
    /** Whether there should be an archiver. */
    isArchived: boolean
    /** When the certificate of the service's address expires, in Unix milliseconds; Infinity without https. */
    certificateEndsAt: number | undefined
  }>

/** An alarm: what is wrong, for how many milliseconds it may be, 0 by default, and whether it is; undefined if unknown. */
type AlarmRule = Readonly<{ sentence: string; patienceMs?: number; holds(seen: Seen): boolean | undefined }>

/** Milliseconds for which a gap is new. */
const GAP_MS = 10 * MINUTE_MS

/** Forged webhooks in ten minutes from which somebody's secret is wrong. */
const FORGED_WEBHOOKS = 3

/** Every alarm. Each ends by itself once its cause is mended. */
export const ALARMS = {
  source_away: {
    sentence: 'No blocks come from the source.',
    patienceMs: 2 * MINUTE_MS,
    holds: ({ source }) => !source.up,
  },
  source_lag: {
    sentence: 'The source is more than 5 seconds behind the chain.',
    patienceMs: MINUTE_MS,
    holds: ({ source }) => source.up && (source.lagMs ?? 0) > LAG_NOTICE_MS,
  },
  decoder: {
    sentence: 'A program has instructions that this release does not know: update it.',
    holds: ({ source }) => (source.proof?.decoderAlarms.length ?? 0) > 0,
  },
  gap: {
    sentence: 'The stream announced a gap in the last ten minutes.',
    holds: ({ source, now }) => now - (source.proof?.gapAt ?? Number.NEGATIVE_INFINITY) < GAP_MS,
  },
  audit_fault: {
    sentence: 'Events were missing or wrong in the last 60 slots that were compared with the chain.',
    holds: ({ source }) => (source.proof?.audit?.recent?.faults ?? 0) > 0,
  },
  gateway_away: {
    sentence: 'A gateway does not answer, or ended within the hour without a word.',
    patienceMs: MINUTE_MS,
    holds: ({ parts, lostGateways }) => parts && (parts.gateways === false || lostGateways > 0),
  },
  database_away: {
    sentence: 'The database is away: nobody can sign in.',
    patienceMs: 30_000,
    // A process that reads facts has it. Each api says by itself that it is away.
    holds: () => undefined,
  },
  disk: {
    sentence: 'Less than 1 GB is free on the disk of a DATA_DIR.',
    holds: ({ processes }) => valuesOf(processes, 'pairwire_disk_free_bytes')?.some((bytes) => bytes < 1e9),
  },
  archive: {
    sentence: 'The archiver does not keep up, or is away.',
    patienceMs: 2 * MINUTE_MS,
    holds: ({ isArchived, processes }) =>
      isArchived && valuesOf(processes, 'pairwire_part_up{part="archive"}')?.every((isUp) => isUp === 0),
  },
  mail: {
    sentence: 'An email was given up within 24 hours, or has waited for more than 10 minutes.',
    holds: ({ givenUpMails, oldestMailAt, now }) =>
      givenUpMails > 0 || (oldestMailAt !== null && now - oldestMailAt.getTime() > 10 * MINUTE_MS),
  },
  webhooks: {
    sentence: 'No webhook is delivered: no api serves the endpoints, or every endpoint fails.',
    patienceMs: 2 * MINUTE_MS,
    holds: ({ webhooks: { on, failing, unserved } }) => unserved > 0 || (on > 0 && failing === on),
  },
  billing_webhook: {
    sentence: 'Three reports of the payment provider had a wrong signature in ten minutes.',
    holds: ({ processes }) => {
      const forged = valuesOf(processes, 'pairwire_billing_webhooks_forged')
      return forged && forged.reduce((sum, count) => sum + count, 0) >= FORGED_WEBHOOKS
    },
  },
  unknown_price: {
    sentence: 'A subscription has a price of no plan: add it to PADDLE_PRICE_1..3.',
    holds: ({ unknownPrices }) => unknownPrices > 0,
  },
  gone_account: {
    sentence: 'Money came for a deleted account or no order: refund it.',
    holds: ({ goneAccounts }) => goneAccounts > 0,
  },
  order_failed: {
    sentence: 'Hours of a paid order are missing: make them with backfill, or refund it.',
    holds: ({ failedOrders }) => failedOrders > 0,
  },
  backup: {
    sentence: 'The newest backup in BACKUP_DIR is older than 48 hours.',
    // The first one is made at the start.
    patienceMs: 15 * MINUTE_MS,
    holds: ({ processes, now }) => {
      const made = valuesOf(processes, 'pairwire_backup_timestamp_seconds{occasion="daily"}')
      return made && made.length > 0 && now - Math.max(...made) * 1_000 > 2 * DAY_MS
    },
  },
  certificate: {
    sentence: 'The certificate of PUBLIC_URL or ADMIN_URL expires within 14 days.',
    holds: ({ certificateEndsAt, now }) =>
      certificateEndsAt === undefined ? undefined : certificateEndsAt - now < 14 * DAY_MS,
  },
  clock: {
    sentence: 'The clock is more than 2 seconds off.',
    patienceMs: MINUTE_MS,
    holds: ({ clockAheadMs, source }) =>
      Math.max(Math.abs(clockAheadMs), source.proof?.blockAheadMs ?? 0) > 2_000,
  },
} as const satisfies Readonly<Record<string, AlarmRule>>

/** The name of an alarm. */
export type AlarmName = keyof typeof ALARMS

/** The alarms as a list. */
export const ALARM_RULES: readonly Readonly<Required<AlarmRule> & { name: AlarmName }>[] = Object.entries(
  ALARMS,
).map(([name, rule]) => ({ patienceMs: 0, ...rule, name: name as AlarmName }))

/** The values of a series, of all processes that have it; undefined while none answers, as without NATS. */
function valuesOf(processes: Seen['processes'], series: string): number[] | undefined {
  return processes?.length ? processes.flatMap(({ figures }) => figures[series] ?? []) : undefined
}

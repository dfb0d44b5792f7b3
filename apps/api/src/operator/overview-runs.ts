import { systemClock, withTimeout } from '@pairwire/basics'
import type { ProcessState } from '@pairwire/contract'
import { VERSION } from '@pairwire/process'
import { toActRow } from './act-runs.ts'
import { toProcessRow } from './process-runs.ts'
import type { CallParts, NamesOf, Runs } from './run.ts'

/** Milliseconds in which each part has to answer: then the rest is shown. */
const ANSWER_MS = 1_500

/** Acts of the overview. */
const LAST_ACTS = 10

/** Verbs on the whole service: what others know already, beside each other. */
export const overviewRuns: Runs<NamesOf<'overview' | 'stream'>> = {
  async *'overview show'(_input, parts) {
    const { accounts, moneyNow, sourceState } = parts
    const { head, inTime } = beginRow(parts)
    const [processes = [], work, money, acts = []] = await Promise.all([
      inTime('processes', parts.listProcesses()),
      inTime('accounts', accounts.readWork()),
      inTime('money', moneyNow()),
      inTime('acts', accounts.listActs({}, LAST_ACTS)),
    ])
    const { up, lagMs, latestBlock, eventsPerSecond } = sourceState?.() ?? NO_SOURCE
    const gateways = processes.flatMap(({ name, version, figures }) => {
      const connections = figures.pairwire_gateway_connections
      return connections === undefined ? [] : [{ name, version, connections }]
    })
    yield {
      ...(await head),
      version: VERSION,
      source: sourceState ? { up, lagMs, latestBlock, eventsPerSecond } : null,
      gateways,
      connections: sumOf(processes, 'pairwire_gateway_connections'),
      money: money
        ? {
            mrr: Object.fromEntries(
              Object.entries(money.currencies).map(([name, { mrr }]) => [name, String(mrr)]),
            ),
            ...{ paying: money.counts.paying, trials: money.counts.trials, pastDue: money.counts.pastDue },
          }
        : null,
      registrations7d: work?.registrations7d ?? null,
      acts: acts.map(toActRow),
    }
  },

  async *'stream show'(_input, parts) {
    const { head, inTime } = beginRow(parts)
    const [processes = [], work, oldestCursor = null] = await Promise.all([
      inTime('processes', parts.listProcesses()),
      inTime('accounts', parts.accounts.readWork()),
      inTime('kept events', parts.oldestCursor?.() ?? Promise.resolve(undefined)),
    ])
    const archive = parts.archiveFigures?.()
    const isOn = (series: string) => processes.some(({ figures }) => figures[series] !== undefined)
    yield {
      ...(await head),
      ...sourceRow(parts),
      kept: {
        bytes: isOn('pairwire_events_kept_bytes') ? sumOf(processes, 'pairwire_events_kept_bytes') : null,
        oldestCursor,
      },
      archive: archive
        ? {
            ...{ hours: archive.hours, bytes: archive.bytes, gapHours: archive.gapHours },
            completeTo: new Date(archive.completeTo).toISOString(),
          }
        : null,
      archiving: isOn('pairwire_archive_lag_seconds')
        ? {
            // Each archives the whole stream.
            lagSeconds: Math.max(
              ...processes.map(({ figures }) => figures.pairwire_archive_lag_seconds ?? 0),
            ),
            waitingUploads: sumOf(processes, 'pairwire_archive_waiting_uploads'),
            failures: sumOf(processes, 'pairwire_archive_failures_total'),
          }
        : null,
      queues: {
        connections: sumOf(processes, 'pairwire_gateway_connections'),
        subscriptions: sumOf(processes, 'pairwire_gateway_subscriptions'),
        queuedBytes: sumOf(processes, 'pairwire_gateway_queued_bytes'),
        heldBytes: sumOf(processes, 'pairwire_gateway_held_bytes'),
      },
      seats: work?.seats ?? null,
      leases: [...(work?.leases ?? [])],
      processes: processes.map(toProcessRow),
      disks: processes.flatMap(({ name: process, figures: { pairwire_disk_free_bytes: freeBytes } }) =>
        freeBytes === undefined ? [] : [{ process, freeBytes }],
      ),
      mails: work?.mails ?? null,
      webhooks: {
        received: sumOf(processes, 'pairwire_billing_webhooks_total{outcome="received"}'),
        refused: sumOf(processes, 'pairwire_billing_webhooks_total{outcome="refused"}'),
      },
    }
  },
}

/** A service that does not run has none. */
const NO_SOURCE = { up: false, lagMs: null, latestBlock: null, eventsPerSecond: 0 }

/** What every row begins with, and a way to ask for more that names what does not answer. */
function beginRow({ clock, health, missingAnswers }: CallParts) {
  const missing: string[] = []
  const inTime = async <Answer>(name: string, asked: Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await withTimeout(asked, systemClock, ANSWER_MS)
    } catch {
      missing.push(name)
      return undefined
    }
  }
  const ask = async () => {
    const parts = health && (await inTime('health', Promise.resolve(health())))
    missing.push(...(missingAnswers?.() ?? []))
    return { at: new Date(clock()).toISOString(), missing, parts: { ...parts } }
  }
  return { head: ask(), inTime }
}

/** What `/status` knows of the source, with the names that strangers do not see. */
function sourceRow({ sourceState }: Pick<CallParts, 'sourceState'>) {
  const state = sourceState?.()
  const [live, proof] = [state?.live, state?.proof]
  const alarms = new Map(proof?.decoderAlarms.map((alarm) => [alarm.program, alarm]))
  const { up, lagMs, latestBlock, eventsPerSecond } = state ?? NO_SOURCE
  return {
    source: state
      ? {
          ...{ up, lagMs, latestBlock, eventsPerSecond, chain: state.chain ?? null },
          ...{ trouble: live?.trouble ?? null, slotMs: live?.slotMs ?? null },
          endpoints: [...(live?.endpoints ?? [])],
        }
      : null,
    gaps: {
      filled: live?.holesFilled ?? 0,
      notFilled: live?.holesNotFilled ?? 0,
      slots: { ...proof?.gapSlots },
    },
    refusals: Object.entries(state?.refusals ?? {}).map(([name, count]) => {
      const [venue = '', ...reason] = name.split(' ')
      return { venue, reason: reason.join(' '), count }
    }),
    unknown: Object.entries(proof?.programs ?? {}).flatMap(([program, { exchange, understood, unknown }]) => {
      if (unknown === 0) return []
      const { usualShare = null, discriminator = null, example = null } = alarms.get(program) ?? {}
      const share = unknown / (unknown + understood)
      return [{ venue: exchange, program, count: unknown, share, usualShare, discriminator, example }]
    }),
    audit: proof?.audit ?? null,
  }
}

/** The sum of a figure over all processes that have it. */
function sumOf(processes: readonly ProcessState[], series: string): number {
  return processes.reduce((sum, { figures }) => sum + (figures[series] ?? 0), 0)
}

import type { Log } from '@pairwire/basics'
import { rpcAt } from '../live-addresses.ts'
import { createLogsSource } from '../logs/logs-source.ts'
import type { OpenedLogs } from '../open-live-source.ts'
import { askRpc } from './ask-rpc.ts'
import { describeObserved, type Finding, findingsOf } from './describe-observed.ts'
import { Tally } from './observation.ts'
import { type Report, type Watch, WatchedFeed } from './watch-feed.ts'

const SILENT: Log = { info() {}, warn() {}, error() {} }

/** Watches program logs as the service would read them, and reports what they are, deliver and lack. */
export async function checkLogs({ address, feed, client }: OpenedLogs, watch: Watch): Promise<Report> {
  const { clock, signal, forMs } = watch
  const tally = new Tally(clock)
  const watched = new WatchedFeed(feed, watch, ({ kind }) => {
    if (kind !== 'subscribed') tally.counts.messages++
    if (kind === 'unreadable') tally.counts.unreadable++
  })
  const source = createLogsSource({ feed: watched, client, clock, log: SILENT })
  for await (const entry of source.blocks(watched.signal)) {
    if (!('arrived' in entry)) {
      tally.counts.missedSlots += entry.toSlot - entry.fromSlot + 1
      continue
    }
    if (entry.endsSlot) tally.block(entry.slot)
    for (const { decoded } of entry.arrived) {
      if (decoded.events.length === 0) continue
      tally.counts.transactions++
      tally.end(entry.blockTime)
      tally.events(decoded.events)
    }
  }

  const observed = tally.read()
  const { endpoints, cannotSee } = source.status?.() ?? { endpoints: [], cannotSee: undefined }
  const [line, lookups] = endpoints
  const says: string[] = []
  const findings: Finding[] = []
  if (watched.hasSpoken) {
    says.push(`It answers and runs ${lookups?.version ?? 'an unknown version'}.`)
    says.push('It is read at commitment confirmed.', ...describeObserved(observed, forMs / 1_000, 'logs'))
    if (cannotSee) says.push(cannotSee)
  }
  const { findings: asked } = await askRpc(rpcAt(address)!, address.token, clock, signal)
  findings.push(...asked.filter(({ isFatal }) => isFatal))
  if (watched.fault) findings.push(watched.explain(observed.blocks > 0))
  else {
    findings.push(...findingsOf(observed, forMs / 1_000, 'logs'))
    for (const trouble of [line?.trouble, lookups?.trouble]) {
      if (trouble) findings.push({ isFatal: false, sentence: trouble })
    }
  }
  return { says, findings }
}

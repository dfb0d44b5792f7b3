import type { Log } from '@pairwire/basics'
import type { Feed } from '../chain/feed.ts'
import { rpcAt } from '../live-addresses.ts'
import type { LogsUpdate } from '../logs/logs-feed.ts'
import { createLogsSource } from '../logs/logs-source.ts'
import type { OpenedLogs } from '../open-live-source.ts'
import { askRpc } from './ask-rpc.ts'
import type { Finding } from './describe-observed.ts'
import { describeObserved, findingsOf } from './describe-observed.ts'
import { explain } from './explain.ts'
import { Tally } from './observation.ts'
import type { Report, Watch } from './report.ts'

const SILENT: Log = { info() {}, warn() {}, error() {} }

/** Watches a line of program logs as the service would read it, and says what it is, gives and lacks. */
export async function checkLogs({ address, feed, client }: OpenedLogs, watch: Watch): Promise<Report> {
  const { clock, signal, forMs } = watch
  const tally = new Tally(clock)
  const enough = new AbortController()
  const reading = AbortSignal.any([signal, enough.signal])
  let isSubscribed = false
  let fault: unknown

  const watched: Feed<LogsUpdate> = {
    ...feed,
    read: async (parts) => {
      const push = (update: LogsUpdate) => {
        if (update.kind !== 'subscribed') tally.counts.messages++
        if (update.kind === 'unreadable') tally.counts.unreadable++
        if (!isSubscribed) void clock.wait(forMs, reading).then(() => enough.abort())
        isSubscribed = true
        return parts.push(update)
      }
      try {
        await feed.read({ ...parts, push })
      } catch (error) {
        // The service would come back; here the first fault is what was asked for.
        fault = error
        enough.abort()
        throw error
      }
    },
  }
  const source = createLogsSource({ feed: watched, client, clock, log: SILENT })
  for await (const entry of source.blocks(reading)) {
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
  if (isSubscribed) {
    says.push(`It answers and runs ${lookups?.version ?? 'an unknown version'}.`)
    says.push('It is read at commitment confirmed.', ...describeObserved(observed, forMs / 1_000, 'logs'))
    if (cannotSee) says.push(cannotSee)
  }
  const { findings: asked } = await askRpc(rpcAt(address)!, address.token, clock, signal)
  findings.push(...asked.filter(({ isFatal }) => isFatal))
  if (fault) findings.push(...(await explain(fault, address, observed.blocks > 0, watch)))
  else {
    findings.push(...findingsOf(observed, forMs / 1_000, 'logs'))
    for (const trouble of [line?.trouble, lookups?.trouble]) {
      if (trouble) findings.push({ isFatal: false, sentence: trouble })
    }
  }
  return { says, findings }
}

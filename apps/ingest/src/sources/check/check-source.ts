import type { Clock } from '@pairwire/process'
import type { FeedFacts, ServerPlace } from '../chain/feed.ts'
import { hideSecrets } from '../hide-secrets.ts'
import { setLogsApart } from '../logs-beside.ts'
import { type OpenedFeed, openFeeds } from '../open-live-source.ts'
import { namesLogs, openLogs } from '../open-logs-source.ts'
import { askRpc } from './ask-rpc.ts'
import { checkLogs } from './check-logs.ts'
import { count, describeObserved, type Finding, findingsOf, number } from './describe-observed.ts'
import { explain } from './explain.ts'
import { Observation } from './observation.ts'
import type { Report, Watch } from './report.ts'

/** What {@link checkSource} needs beside the setting. */
export type CheckOptions = Readonly<{
  /** Tokens in the order of the sources. */
  tokens: readonly string[]
  /** The RPC that holes are filled from; undefined where none is set. */
  rpcUrl: string | undefined
  clock: Clock
  /** Takes one line for people. */
  write(line: string): void
  signal: AbortSignal
  /** Milliseconds for which each endpoint is watched. */
  forMs?: number
}>

const WATCH_MS = 10_000

/**
 * Connects to each endpoint that the setting names, reads it as the service would, and says in sentences what it is,
 * what it gives and what it lacks. No line holds a token or a path.
 *
 * @returns whether all of them can be used. @throws Error with a sentence when the setting names none
 */
export async function checkSource(setting: string, options: CheckOptions): Promise<boolean> {
  const { tokens, rpcUrl, clock, signal, forMs = WATCH_MS } = options
  const watch = { clock, signal, forMs }
  const apart = setLogsApart(setting, tokens)
  const isLogs = namesLogs(apart.whole)
  const feeds = isLogs ? [] : openFeeds(apart.whole, apart.tokens, clock)
  const logs = isLogs ? [openLogs(setting, options)] : []
  const opened = [...feeds, ...logs]
  const reports = [
    ...feeds.map((each) => checkEndpoint(each, watch)),
    ...logs.map((each) => checkLogs(each, watch)),
  ]
  const isFilled = isLogs || feeds.some(({ kind }) => kind === 'rpc') || rpcUrl !== undefined
  const hide = hideSecrets(tokens, [...opened.map(({ url }) => url), rpcUrl])
  const write = (line: string) => options.write(hide(line))

  let canBeUsed = true
  /** @returns whether nothing of it is fatal */
  const tell = ({ says, findings }: Report): boolean => {
    for (const sentence of says) write(`  ${sentence}`)
    for (const { isFatal, sentence } of findings) write(`  ${isFatal ? 'Wrong' : 'Note'}: ${sentence}`)
    const isUsable = findings.every(({ isFatal }) => !isFatal)
    canBeUsed &&= isUsable
    return isUsable
  }
  for (const [at, report] of reports.entries()) {
    const told = await report
    write(opened[at]!.feed.name)
    write(tell(told) ? '  It can be used.' : '  It cannot be used.')
  }
  for (const host of apart.logs)
    write(`logs ${host}\n  It is not used: program logs add nothing to a source that delivers whole blocks.`)
  if (rpcUrl !== undefined) {
    const url = new URL(rpcUrl)
    write(`SOLANA_RPC_URL ${url.host}`)
    tell(await askRpc(url, undefined, clock, signal))
  } else if (canBeUsed && !isFilled) {
    write('SOLANA_RPC_URL is not set: missed slots that no source can replay become gaps.')
  }
  return canBeUsed
}

async function checkEndpoint(opened: OpenedFeed, watch: Watch): Promise<Report> {
  const { kind, url, token, feed } = opened
  const { clock, signal, forMs } = watch
  const observation = new Observation(clock)
  const enough = new AbortController()
  const reading = AbortSignal.any([signal, enough.signal])
  let isConnected = false
  let place: ServerPlace = { head: undefined, firstAvailable: undefined }
  let facts: FeedFacts = {}
  let fault: unknown
  try {
    await feed.read({
      whereFrom: (server) => {
        place = server
        return undefined
      },
      push: (update) => {
        observation.take(update)
        if (!isConnected) void clock.wait(forMs, reading).then(() => enough.abort())
        isConnected = true
        return true
      },
      drained: async () => {},
      report: (learnt) => {
        facts = { ...facts, ...learnt }
      },
      signal: reading,
    })
  } catch (error) {
    fault = error
  }

  const seconds = forMs / 1_000
  const given = kind === 'yellowstone' ? 'parts' : 'whole'
  const observed = observation.finish()
  const says: string[] = []
  const findings: Finding[] = []
  if (isConnected) {
    says.push(`It answers and runs ${facts.version ?? 'an unknown version'}.`)
    says.push('It is read at commitment confirmed.')
    const asked = kind === 'rpc' ? await askRpc(url, token, clock, signal) : describePlace(place)
    says.push(...asked.says, ...describeObserved(observed, seconds, given))
    findings.push(...asked.findings)
  }
  if (facts.warning) findings.push({ isFatal: false, sentence: facts.warning })
  if (fault) findings.push(...(await explain(fault, opened, observed.blocks > 0, watch)))
  else findings.push(...findingsOf(observed, seconds, given))
  return { says, findings }
}

/** What a stream says of where it stands. */
function describePlace({ head, firstAvailable }: ServerPlace): Report {
  const says = head === undefined ? [] : [`Its newest slot is ${number(head)}.`]
  if (firstAvailable === undefined) {
    const sentence = 'It offers no replay: missed slots come from SOLANA_RPC_URL only.'
    return { says, findings: [{ isFatal: false, sentence }] }
  }
  const held = head === undefined ? '' : `, ${count(Math.max(0, head - firstAvailable + 1), 'slot')}`
  return { says: [...says, `It can replay from slot ${number(firstAvailable)} on${held}.`], findings: [] }
}

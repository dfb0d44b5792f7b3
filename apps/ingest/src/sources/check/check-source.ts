import type { Clock } from '@pairwire/basics'
import type { FeedFacts, ServerPlace } from '../chain/feed.ts'
import { hideSecrets } from '../hide-secrets.ts'
import { type LiveAddress, readLiveAddresses } from '../live-addresses.ts'
import { LOGS_NOT_USED, openFeed, openLogs } from '../open-live-source.ts'
import { askRpc } from './ask-rpc.ts'
import { checkLogs } from './check-logs.ts'
import { count, describeObserved, type Finding, findingsOf, number } from './describe-observed.ts'
import { Observation } from './observation.ts'
import { type Report, type Watch, WatchedFeed } from './watch-feed.ts'

/** What {@link checkSource} needs besides the setting. */
export type CheckOptions = Readonly<{
  /** Tokens in the order of the sources. */
  tokens: readonly string[]
  /** The RPC that fills holes; undefined if none is set. */
  rpcUrl: string | undefined
  clock: Clock
  /** Writes one line for people. */
  write(line: string): void
  signal: AbortSignal
  /** Milliseconds to watch each endpoint. */
  forMs?: number
}>

const WATCH_MS = 10_000

/**
 * Connects to each endpoint in the setting, reads it as the service would, and reports in sentences what it is,
 * delivers and lacks. No line contains a token or a path.
 *
 * @returns whether all of them can be used. @throws Error with a sentence when the setting names none
 */
export async function checkSource(setting: string, options: CheckOptions): Promise<boolean> {
  const { tokens, rpcUrl, clock, signal, forMs = WATCH_MS } = options
  const watch = { clock, signal, forMs }
  const addresses = readLiveAddresses(setting, tokens)
  const whole = addresses.filter(({ kind }) => kind !== 'logs')
  const isLogs = whole.length === 0
  const checked = isLogs ? addresses : whole
  const reports = isLogs
    ? [checkLogs(openLogs(addresses, options), watch)]
    : whole.map((address) => checkEndpoint(address, watch))
  const isFilled = isLogs || whole.some(({ kind }) => kind === 'rpc') || rpcUrl !== undefined
  const hide = hideSecrets(tokens, [...checked.map(({ url }) => url), rpcUrl])
  const write = (line: string) => options.write(hide(line))

  let canBeUsed = true
  /** @returns whether no finding is fatal */
  const tell = ({ says, findings }: Report): boolean => {
    for (const sentence of says) write(`  ${sentence}`)
    for (const { isFatal, sentence } of findings) write(`  ${isFatal ? 'Wrong' : 'Note'}: ${sentence}`)
    const isUsable = findings.every(({ isFatal }) => !isFatal)
    canBeUsed &&= isUsable
    return isUsable
  }
  for (const [at, report] of reports.entries()) {
    const told = await report
    write(nameOf(checked[at]!))
    write(tell(told) ? '  It can be used.' : '  It cannot be used.')
  }
  for (const address of addresses) {
    if (!checked.includes(address)) write(`${nameOf(address)}\n  ${LOGS_NOT_USED}`)
  }
  if (rpcUrl !== undefined) {
    const url = new URL(rpcUrl)
    write(`SOLANA_RPC_URL ${url.host}`)
    tell(await askRpc(url, undefined, clock, signal))
  } else if (canBeUsed && !isFilled) {
    write('SOLANA_RPC_URL is not set: missed slots that no source can replay become gaps.')
  }
  return canBeUsed
}

const nameOf = ({ kind, url }: LiveAddress) => `${kind} ${url.host}`

async function checkEndpoint(address: LiveAddress, watch: Watch): Promise<Report> {
  const { kind, url, token } = address
  const { clock, signal, forMs } = watch
  const observation = new Observation(clock)
  const watched = new WatchedFeed(openFeed(address, clock), watch, (update) => observation.take(update))
  let place: ServerPlace = { head: undefined, firstAvailable: undefined }
  let facts: FeedFacts = {}
  await watched.read({
    whereFrom: (server) => {
      place = server
      return undefined
    },
    push: () => true,
    drained: async () => {},
    report: (learnt) => {
      facts = { ...facts, ...learnt }
    },
    signal: watched.signal,
  })

  const seconds = forMs / 1_000
  const given = kind === 'yellowstone' ? 'parts' : 'whole'
  const observed = observation.finish()
  const says: string[] = []
  const findings: Finding[] = []
  if (watched.hasSpoken) {
    says.push(`It answers and runs ${facts.version ?? 'an unknown version'}.`)
    says.push('It is read at commitment confirmed.')
    const asked = kind === 'rpc' ? await askRpc(url, token, clock, signal) : describePlace(place)
    says.push(...asked.says, ...describeObserved(observed, seconds, given))
    findings.push(...asked.findings)
  }
  if (facts.warning) findings.push({ isFatal: false, sentence: facts.warning })
  if (watched.fault) findings.push(watched.explain(observed.blocks > 0))
  else findings.push(...findingsOf(observed, seconds, given))
  return { says, findings }
}

/** Describes a stream's position. */
function describePlace({ head, firstAvailable }: ServerPlace): Report {
  const says = head === undefined ? [] : [`Its newest slot is ${number(head)}.`]
  if (firstAvailable === undefined) {
    const sentence = 'It offers no replay: missed slots come from SOLANA_RPC_URL only.'
    return { says, findings: [{ isFatal: false, sentence }] }
  }
  const held = head === undefined ? '' : `, ${count(Math.max(0, head - firstAvailable + 1), 'slot')}`
  return { says: [...says, `It can replay from slot ${number(firstAvailable)} on${held}.`], findings: [] }
}

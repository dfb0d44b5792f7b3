import type { Clock } from '../../clock.ts'
import { FeedError, type FeedFacts, type ServerPlace } from '../chain/feed.ts'
import { type OpenedFeed, openFeeds } from '../open-live-source.ts'
import { askRpc } from './ask-rpc.ts'
import { count, describeObserved, type Finding, findingsOf, number } from './describe-observed.ts'
import { Observation } from './observation.ts'
import { findOtherProtocol } from './other-protocol.ts'

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
  const opened = openFeeds(setting, tokens, clock)
  const reports = opened.map((each) => checkEndpoint(each, { clock, signal, forMs }))
  const isFilled = opened.some(({ kind }) => kind === 'rpc') || rpcUrl !== undefined
  const hide = hiding([...tokens, ...opened.flatMap(({ url }) => secretsOf(url)), ...secretsOf(rpcUrl)])
  const write = (line: string) => options.write(hide(line))

  let canBeUsed = true
  for (const [at, report] of reports.entries()) {
    const { says, findings } = await report
    write(opened[at]!.feed.name)
    for (const sentence of says) write(`  ${sentence}`)
    for (const { isFatal, sentence } of findings) write(`  ${isFatal ? 'Wrong' : 'Note'}: ${sentence}`)
    const isUsable = findings.every(({ isFatal }) => !isFatal)
    write(isUsable ? '  It can be used.' : '  It cannot be used.')
    canBeUsed &&= isUsable
  }
  if (rpcUrl !== undefined) {
    const url = new URL(rpcUrl)
    write(`SOLANA_RPC_URL ${url.host}`)
    const { says, findings } = await askRpc(url, undefined, clock, signal)
    for (const sentence of [...says, ...findings.map(({ sentence }) => sentence)]) write(`  ${sentence}`)
  } else if (canBeUsed && !isFilled) {
    write('SOLANA_RPC_URL is not set: what is missed and cannot be replayed is said as a gap.')
  }
  return canBeUsed
}

type Report = Readonly<{ says: readonly string[]; findings: readonly Finding[] }>

async function checkEndpoint(
  opened: OpenedFeed,
  { clock, signal, forMs }: { clock: Clock; signal: AbortSignal; forMs: number },
): Promise<Report> {
  const { kind, url, token, feed } = opened
  const observation = new Observation(clock)
  const enough = new AbortController()
  const reading = AbortSignal.any([signal, enough.signal])
  let isConnected = false
  let place: ServerPlace = { head: undefined, firstAvailable: undefined }
  let facts: FeedFacts = {}
  let fault: FeedError | undefined
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
    if (!(error instanceof FeedError)) throw error
    fault = error
  }

  const seconds = forMs / 1_000
  const observed = observation.finish()
  const says: string[] = []
  const findings: Finding[] = []
  if (isConnected) {
    says.push(`It answers, and runs ${facts.version ?? 'a version that it does not name'}.`)
    says.push('It is read at commitment confirmed.')
    const asked = kind === 'rpc' ? await askRpc(url, token, clock, signal) : describePlace(place)
    says.push(...asked.says, ...describeObserved(observed, seconds))
    findings.push(...asked.findings)
  }
  if (facts.warning) findings.push({ isFatal: false, sentence: facts.warning })
  if (fault) findings.push(...(await explain(fault, opened, observed.blocks > 0, clock, signal)))
  else findings.push(...findingsOf(observed, seconds, kind === 'yellowstone'))
  return { says, findings }
}

/** What a stream says of where it stands. */
function describePlace({ head, firstAvailable }: ServerPlace): Report {
  const says = head === undefined ? [] : [`Its newest slot is ${number(head)}.`]
  if (firstAvailable === undefined) {
    const sentence =
      'It says of no slot that it could replay: what is missed can be had from SOLANA_RPC_URL only.'
    return { says, findings: [{ isFatal: false, sentence }] }
  }
  const held = head === undefined ? '' : `, ${count(Math.max(0, head - firstAvailable + 1), 'slot')}`
  return { says: [...says, `It can replay from slot ${number(firstAvailable)} on${held}.`], findings: [] }
}

/** Why it could not be read, or not any more, and what would help. */
async function explain(
  fault: FeedError,
  { kind, url, token }: OpenedFeed,
  hasGiven: boolean,
  clock: Clock,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [{ isFatal: !hasGiven, sentence: fault.message }]
  if (fault.kind === 'unauthorised' && token === undefined) {
    findings.push({
      isFatal: true,
      sentence: 'It was asked without a token: SOLANA_SOURCE_TOKEN is not set.',
    })
  }
  if (hasGiven || fault.kind === 'unauthorised') return findings
  const other = await findOtherProtocol({ kind, url }, clock, signal)
  if (other !== undefined) {
    const sentence = `At this host and port ${other}:// is answered: name it so.`
    findings.push({ isFatal: true, sentence })
  }
  return findings
}

/** Parts of an address that may be somebody's key. */
function secretsOf(address: URL | string | undefined): string[] {
  if (address === undefined) return []
  const { pathname, searchParams } = new URL(address)
  return [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= 6)
}

/** Takes secrets out of what a stranger's server may repeat. */
function hiding(secrets: readonly string[]): (line: string) => string {
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line)
}

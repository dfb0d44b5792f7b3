import type { Observed } from './observation.ts'

/** A sentence about a problem, and whether it makes the endpoint useless. */
export type Finding = Readonly<{ isFatal: boolean; sentence: string }>

/** Milliseconds of lateness above which the service's own pages also report late events. */
const LATE_MS = 5_000

/** Milliseconds by which blocks may precede their own time: block times are whole seconds, set by votes. */
const EARLY_MS = -3_000

/** Minimum share of real time at which the chain must advance, and the error in seconds of whole block times. */
const LEAST_PACE = 0.7
const BLOCK_TIME_SLACK = 1.5

/** Seconds needed to measure a pace. */
const MIN_PACED_SECONDS = 4

/** How an endpoint delivers blocks: in parts, as a gRPC stream does, whole, or as program logs. */
type Given = 'parts' | 'whole' | 'logs'

/** Describes the observation in sentences. */
export function describeObserved(observed: Observed, seconds: number, given: Given): string[] {
  const { blocks, firstSlot, lastSlot, lag, transactions, events } = observed
  if (blocks === 0 || firstSlot === undefined || lastSlot === undefined) return []
  const span = lastSlot - firstSlot
  const pace = span > 0 && observed.passedSeconds > 0 ? (observed.passedSeconds * 1_000) / span : undefined
  return [
    `In ${count(seconds, 'second')} it gave ${given === 'logs' ? `logs of ${count(blocks, 'slot')}` : count(blocks, 'whole block')}, slots ${number(firstSlot)} to ${number(lastSlot)}` +
      `${pace === undefined ? '' : `, one slot every ${number(Math.round(pace))} ms`}.`,
    ...(lag === undefined
      ? []
      : [
          `${given === 'logs' ? 'They' : 'Blocks'} arrived typically ${inSeconds(lag.usualMs)} late, at most ${inSeconds(lag.longestMs)}.`,
        ]),
    given === 'logs'
      ? `They contained ${count(transactions, 'transaction')} with an event:`
      : `They contained ${count(transactions, 'transaction')} of decoded programs:`,
    ...[...events]
      .toSorted(([, left], [, right]) => right.swaps + right.newPairs - left.swaps - left.newPairs)
      .map(
        ([exchange, { swaps, newPairs }]) =>
          `  ${exchange}: ${count(swaps, 'swap')}, ${count(newPairs, 'new pair')}`,
      ),
    ...(events.size === 0 ? ['  no swap and no new pair'] : []),
  ]
}

/** Lists the problems in the observation. */
export function findingsOf(observed: Observed, seconds: number, given: Given): Finding[] {
  const { messages, blocks, ends, transactions, confirmations, missedSlots, unreadable, lag } = observed
  if (messages === 0) return [fatal(`It sent nothing in ${count(seconds, 'second')}.`)]
  if (given === 'parts' && ends === 0) {
    return [
      fatal('It sends no block metas: nobody can tell when a slot is whole, so nothing can be streamed.'),
    ]
  }
  if (blocks === 0) {
    const sentence = given === 'logs' ? 'No logs of a second slot arrived' : 'No block was complete'
    return [fatal(`${sentence} within ${count(seconds, 'second')}.`)]
  }

  const findings: Finding[] = []
  const { chainSeconds, passedSeconds } = observed
  if (passedSeconds >= MIN_PACED_SECONDS && chainSeconds < passedSeconds * LEAST_PACE - BLOCK_TIME_SLACK) {
    findings.push(
      fatal(
        `It is too slow: in ${count(Math.round(passedSeconds), 'second')} it delivered ${count(chainSeconds, 'second')} of the chain, so it falls further and further behind.`,
      ),
    )
  } else if (lag && lag.usualMs > LATE_MS) {
    findings.push(
      warning(
        `Blocks arrive ${inSeconds(lag.usualMs)} late: the endpoint lags, or this machine’s clock is ahead.`,
      ),
    )
  }
  if (lag && lag.usualMs < EARLY_MS) {
    findings.push(warning('Blocks arrive before their own time: this machine’s clock is behind.'))
  }
  if (given === 'parts' && confirmations === 0) {
    findings.push(
      warning(
        'It never says that a slot is confirmed. The service then reads it at commitment confirmed: nothing arrives early, and each block arrives one slot later, when the next one names it as its parent.',
      ),
    )
  }
  if (transactions === 0) {
    findings.push(
      warning(
        'No transaction of a known program arrived: the endpoint may not be on mainnet, or may leave them out.',
      ),
    )
  }
  if (missedSlots > 0) {
    findings.push(
      warning(
        `Part of ${count(missedSlots, 'slot')} was missing; the service ${given === 'logs' ? 'says so as a gap' : 'fetches such slots again'}.`,
      ),
    )
  }
  if (unreadable > 0) findings.push(warning(`${count(unreadable, 'message')} could not be read.`))
  if (observed.decoderFaults > 0) {
    findings.push(warning(`A decoder failed on ${count(observed.decoderFaults, 'transaction')}.`))
  }
  return findings
}

/** Formats for people: `1,200 slots`, `1 slot`. */
export function count(amount: number, noun: string): string {
  return `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** Formats for people, with commas. */
export function number(value: number): string {
  return value.toLocaleString('en-US')
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`
}

function fatal(sentence: string): Finding {
  return { isFatal: true, sentence }
}

function warning(sentence: string): Finding {
  return { isFatal: false, sentence }
}

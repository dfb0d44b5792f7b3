import type { Gap } from '@pairwire/client'
import { parseCursor } from '@pairwire/contract'

/** A published item: an event, or slots that the service itself has missed. */
export type Published = Readonly<{
  cursor: string
  event?: Readonly<{ kind: 'swap' | 'newPair' | 'latestBlock'; usdValue: number }>
  gap?: Readonly<{ fromSlot: number; toSlot: number }>
}>

/** What a reader got: an event's cursor, or a gap. */
export type Got = string | Gap

/** A test's filter: its minimum value, and when it came into force. */
export type Filter = Readonly<{
  from: number
  /** It came into force between the two: after the first, and before the event after the second. */
  notBefore: string
  notAfter: string
}>

/** Causes of gaps for published events that the reader did not get. */
const LOSSES: ReadonlySet<string> = new Set(['unread', 'too_old', 'disconnected', 'deploy'])

/** The progress of a comparison: the index into each list, and the filter. */
type State = Readonly<{ due: number; got: number; filter: number }>

/**
 * Compares what a reader got with what was published: every event that it wanted, once and in order, or a gap in its
 * place that names the missing slots. A filter may have changed at any moment between its known bounds.
 *
 * @returns what is wrong; undefined if nothing is
 */
export function judge(
  published: readonly Published[],
  got: readonly Got[],
  kind: NonNullable<Published['event']>['kind'],
  filters: readonly Filter[],
): string | undefined {
  const isDue = ({ event }: Published, filter: number) =>
    !event || (event.kind === kind && event.usdValue >= filters[filter]!.from)
  const states: State[] = [{ due: 0, got: 0, filter: 0 }]
  const seen = new Set<string>()
  let wrong: { due: number; sentence: string } | undefined
  for (let state = states.pop(); state; state = states.pop()) {
    const one = published[state.due]
    const item = got[state.got]
    if (!one && item === undefined) return undefined
    const key = `${state.due} ${state.got} ${state.filter}`
    if (seen.has(key)) continue
    seen.add(key)
    let fault: string | undefined
    if (isLoss(item)) {
      const end = got.findIndex((other, at) => at > state.got && !isLoss(other))
      const losses = got.slice(state.got, end === -1 ? got.length : end) as Gap[]
      const until = published.findIndex((other, at) => at >= state.due && isSame(other, got[end]))
      const missing = published.slice(state.due, until === -1 ? published.length : until)
      const may = (other: Published) => filtersAt(other, filters).filter((at) => at >= state.filter)
      fault = compareLosses(
        missing.filter((other) => may(other).every((at) => isDue(other, at))),
        missing.filter((other) => may(other).some((at) => isDue(other, at))),
        losses,
      )
      if (!fault) states.push({ ...state, due: state.due + missing.length, got: state.got + losses.length })
    }
    for (const filter of one ? filtersAt(one, filters) : []) {
      if (filter < state.filter) continue
      if (!isDue(one!, filter)) states.push({ ...state, due: state.due + 1, filter })
      else if (isSame(one!, item)) states.push({ due: state.due + 1, got: state.got + 1, filter })
      else fault ??= `${describe(item)} came where ${describe(one)} was due.`
    }
    if (!one) fault ??= `${describe(item)} came at the end.`
    if (fault && (!wrong || state.due > wrong.due)) wrong = { due: state.due, sentence: fault }
  }
  return wrong?.sentence
}

/** Returns the filters that may have applied to an event. */
function filtersAt({ cursor }: Published, filters: readonly Filter[]): number[] {
  const first = filters.findLastIndex(({ notAfter }) => cursor > notAfter)
  const last = filters.findLastIndex(({ notBefore }) => cursor > notBefore)
  const may: number[] = []
  for (let at = Math.max(first, 0); at <= last; at++) may.push(at)
  return may
}

/**
 * Checks that the gap names everything missing. For unread events, its ends are the first and the last of them; it begins
 * with the slot of the place before it if the service's own gap behind that place was unread too.
 */
function compareLosses(
  certain: readonly Published[],
  possible: readonly Published[],
  losses: readonly Gap[],
): string | undefined {
  const named = losses.map(describe).join(', ')
  for (const one of certain) {
    const [from, to] = slotsOf(one)
    const isNamed = losses.some(({ fromSlot, toSlot }) => (fromSlot ?? 0) <= from && to <= (toSlot ?? 0))
    if (!isNamed) return `${describe(one)} is missing and not named by ${named}.`
  }
  if (losses.some(({ cause }) => cause !== 'unread')) return undefined
  const { fromSlot, resumeFrom } = losses[0]!
  const isExact =
    (fromSlot === parseCursor(resumeFrom ?? '')?.slot ||
      possible.some((one) => slotsOf(one)[0] === fromSlot)) &&
    possible.some((one) => slotsOf(one)[1] === losses.at(-1)!.toSlot)
  return isExact ? undefined : `${possible.map(describe)} may be missing at ${named}.`
}

function isLoss(item: Got | undefined): item is Gap {
  return typeof item === 'object' && LOSSES.has(item.cause)
}

function isSame(due: Published | undefined, item: Got | undefined): boolean {
  if (!due || item === undefined) return false
  if (typeof item === 'string') return due.event !== undefined && due.cursor === item
  return due.gap?.fromSlot === item.fromSlot && due.gap?.toSlot === item.toSlot
}

function slotsOf({ cursor, gap }: Published): [number, number] {
  const { slot } = parseCursor(cursor)!
  return gap ? [gap.fromSlot, gap.toSlot] : [slot, slot]
}

function describe(item: Got | Published | undefined): string {
  if (item === undefined) return 'nothing'
  if (typeof item === 'string') return item
  if ('type' in item) return `the gap ${item.fromSlot}-${item.toSlot} (${item.cause})`
  return item.gap ? `the gap ${item.gap.fromSlot}-${item.gap.toSlot}` : item.cursor
}

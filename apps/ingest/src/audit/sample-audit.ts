import { type Clock, type Log, messageOf } from '@pairwire/basics'
import { type Bus, CursorTooOldError } from '@pairwire/bus'
import { type AuditState, parseCursor } from '@pairwire/contract'
import { limitedTo } from '../sources/limited-to.ts'
import { LIVE_RUN } from '../sources/source.ts'
import { auditSlots } from './audit-slots.ts'
import type { ChainReader } from './chain-reader.ts'
import type { AuditFault } from './compare-slot.ts'

/** What {@link createSampleAudit} needs. */
type SampleAuditOptions = Readonly<{
  chain: Pick<ChainReader, 'host' | 'blocks'>
  bus: Pick<Bus, 'replay' | 'newestCursor'>
  clock: Clock
  log: Log
  /** Uniform, from 0 to 1. */
  random?: () => number
}>

const EVERY_MS = 60_000

/** Minimum distance in slots from the newest: rooted, so that a skipped slot is known, and still in memory. */
const NEAREST = 64
const FARTHEST = 160

/** Milliseconds after which a silent endpoint is given up until the next minute. */
const PATIENCE_MS = 30_000

/** Number of faults remembered. */
const FAULTS_KEPT = 10

/** Number of slots that tell how complete the stream is now. */
const RECENT = 60

/** Compares one slot a minute with the chain, from its start on. */
export function createSampleAudit(options: SampleAuditOptions) {
  const { chain, bus, clock, log, random = Math.random } = options
  const abort = new AbortController()
  const sums = { slots: 0, events: 0, missing: 0, extra: 0, different: 0 }
  let faults: AuditFault[] = []
  let recent: { events: number; faults: number }[] = []
  let newest: AuditState['newest'] = null
  let trouble: string | null = null
  let running: Promise<void> | undefined

  const compare = async (slot: number, signal: AbortSignal): Promise<void> => {
    const found: AuditFault[] = []
    const { expected } = await auditSlots({
      ...{ fromSlot: slot, toSlot: slot, replay: bus.replay },
      blocks: (from, to) => chain.blocks(from, to, signal),
      // A slot covered by a gap is known, and counted with the gaps.
      found: (fault) => void (fault.announced || found.push(fault)),
    })
    sums.slots++
    sums.events += expected
    recent = [...recent, { events: expected, faults: found.length }].slice(-RECENT)
    for (const fault of found) sums[fault.kind]++
    faults = [...found, ...faults].slice(0, FAULTS_KEPT)
    newest = { slot, at: clock.now() }
    for (const { kind, event, venue, signature } of found.slice(0, FAULTS_KEPT)) {
      const sentence = 'The service published something that differs from the chain.'
      log.error(sentence, { kind, event, venue, slot, signature })
    }
  }

  /** Chooses a slot that this service published, together with the one before it. */
  const chooseSlot = async (): Promise<number | undefined> => {
    const cursor = await bus.newestCursor()
    const place = cursor === undefined ? undefined : parseCursor(cursor)
    if (place?.run !== LIVE_RUN) return undefined
    return place.slot - NEAREST - Math.floor(random() * (FARTHEST - NEAREST))
  }

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await clock.wait(EVERY_MS, abort.signal)
      if (abort.signal.aborted) return
      const patience = limitedTo(PATIENCE_MS, clock, abort.signal)
      try {
        const slot = await chooseSlot()
        if (slot !== undefined) await compare(slot, patience.signal)
        trouble = null
      } catch (error) {
        if (abort.signal.aborted) return
        // Nothing was published yet so long ago.
        if (error instanceof CursorTooOldError) continue
        trouble = patience.signal.aborted
          ? `${chain.host} did not give a block within ${PATIENCE_MS / 1_000} seconds.`
          : messageOf(error)
      } finally {
        patience.abort()
      }
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    /** Resolves once the current comparison has stopped. */
    stop: async () => {
      abort.abort()
      await running
    },
    /** Results since the start. */
    read: (): Required<AuditState> => {
      const sum = (of: 'events' | 'faults') => recent.reduce((sum, slot) => sum + slot[of], 0)
      const lately = { slots: recent.length, events: sum('events'), faults: sum('faults') }
      return { host: chain.host, ...sums, recent: lately, faults, newest, trouble }
    },
  }
}

import {
  cursorBehind,
  formatCursor,
  type GapEvent,
  LAST_PLACE,
  type Manifest,
  parseCursor,
  type StreamEvent,
} from '@pairwire/contract'
import type { HourBlock } from '../engine/messages.ts'
import type { HourLine } from './hour-lines.ts'

/** Blocks and gaps of an hour as events, in chain order: what stands between the lines of its zip. */
export class HourPlaces {
  readonly #places: readonly HourLine[]
  readonly #blocks: readonly HourBlock[]

  constructor(manifest: Manifest, blocks: readonly HourBlock[]) {
    this.#blocks = blocks
    const ends = new Set(blocks.map(({ cursor }) => cursor))
    const events: StreamEvent[] = [...blocks.map(blockEvent), ...gapEvents(manifest, ends)]
    this.#places = events
      .sort((one, other) => (one.cursor < other.cursor ? -1 : 1))
      .map((event) => ({ cursor: event.cursor, text: JSON.stringify(event) }))
  }

  /** The place before the first block that reaches a block time (Unix seconds); undefined where none does. */
  before(blockTime: number): string | undefined {
    const first = this.#blocks.findIndex((block) => block.blockTime >= blockTime)
    if (first < 0) return undefined
    return this.#blocks[first - 1]?.cursor ?? ''
  }

  /** Those behind a place, from the first on. */
  after(cursor: string): readonly HourLine[] {
    let [from, to] = [0, this.#places.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#places[middle]!.cursor <= cursor) from = middle + 1
      else to = middle
    }
    return this.#places.slice(from)
  }
}

function blockEvent({ cursor, slot, blockTime, receivedAt }: HourBlock): StreamEvent {
  return {
    ...{ kind: 'latestBlock', cursor, params: { block: slot, blockTime } },
    ...(receivedAt === null ? {} : { receivedAt }),
  }
}

/** A gap stands where its last slot ends, behind that slot's block where there is one. */
function gapEvents({ gaps, cursors }: Manifest, ends: ReadonlySet<string>): GapEvent[] {
  const run = parseCursor(cursors?.first ?? '')?.run ?? 0
  return gaps.map(({ fromSlot, toSlot, cause }) => {
    const end = formatCursor({ run, slot: toSlot, ...LAST_PLACE })
    const cursor = ends.has(end) ? cursorBehind(end) : end
    return { kind: 'gap', cursor, params: { fromSlot, toSlot, cause, resume_from: null } }
  })
}

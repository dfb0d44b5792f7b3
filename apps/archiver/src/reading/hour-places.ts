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

/** Blocks and gaps of an hour as events, in chain order, which go between the lines of its zip. */
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

  /** The cursor before the first block that reaches a block time (Unix seconds); undefined if none does. */
  before(blockTime: number): string | undefined {
    const first = this.#blocks.findIndex((block) => block.blockTime >= blockTime)
    if (first < 0) return undefined
    return this.#blocks[first - 1]?.cursor ?? ''
  }

  /** The blocks and gaps after a cursor. */
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

/** A gap is placed at the end of its last slot, after that slot's block if any. */
function gapEvents({ gaps, cursors }: Manifest, ends: ReadonlySet<string>): GapEvent[] {
  const run = parseCursor(cursors?.first ?? '')?.run ?? 0
  return gaps.map(({ fromSlot, toSlot, cause }) => {
    const end = formatCursor({ run, slot: toSlot, ...LAST_PLACE })
    const cursor = ends.has(end) ? cursorBehind(end) : end
    return { kind: 'gap', cursor, params: { fromSlot, toSlot, cause, resume_from: null } }
  })
}

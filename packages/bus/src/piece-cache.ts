import type { StreamEvent } from '@pairwire/contract'
import { createAskedLately } from './asked-lately.ts'
import type { Remember } from './event-log.ts'
import { estimateBytes } from './event-ring.ts'

/** What was read last, bounded by about the heap that it takes; many who ask for the same at once share one reading. */
type PieceCache = Readonly<{ remember: Remember; clear(): void }>

/** A reading; undefined once it is let go of, lest what the collector has moved to what lives long holds its events. */
type Piece = { reading: Promise<readonly StreamEvent[]> | undefined; bytes: number; isKept: boolean }

/** An empty cache. What is asked for a first time is kept where `keepsFirst` is set; else once it is asked for again. */
export function createPieceCache(maxBytes: number, keepsFirst: boolean): PieceCache {
  /** In the order in which they were last asked for. */
  const pieces = new Map<string, Piece>()
  const wasAsked = createAskedLately()
  let bytes = 0

  const drop = (key: string) => {
    const piece = pieces.get(key)
    if (!piece) return
    bytes -= piece.bytes
    piece.reading = undefined
    pieces.delete(key)
  }

  return {
    remember(key, load) {
      const isKept = wasAsked(key) || keepsFirst
      const known = pieces.get(key)
      if (known?.reading) {
        known.isKept = true
        pieces.delete(key)
        pieces.set(key, known)
        return known.reading
      }
      const reading = load()
      const piece: Piece = { reading, bytes: 0, isKept }
      pieces.set(key, piece)
      reading.then(
        (events) => {
          if (pieces.get(key) !== piece) return
          if (!piece.isKept) return drop(key)
          piece.bytes = estimateBytes(events)
          bytes += piece.bytes
          for (const oldest of pieces.keys()) {
            if (bytes <= maxBytes) return
            drop(oldest)
          }
        },
        () => {
          if (pieces.get(key) === piece) drop(key)
        },
      )
      return reading
    },
    clear() {
      pieces.clear()
      bytes = 0
    },
  }
}

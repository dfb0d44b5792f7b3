import type { StreamEvent } from '@pairwire/contract'
import { createAskedLately } from './asked-lately.ts'
import type { Remember } from './event-log.ts'
import { estimateBytes } from './event-ring.ts'

/** A cache of read pieces, limited by about their heap; concurrent requests share one read. */
type PieceCache = Readonly<{ remember: Remember; clear(): void }>

/** A read; undefined once dropped, so that objects in the garbage collector's old generation do not hold its events. */
type Piece = { reading: Promise<readonly StreamEvent[]> | undefined; bytes: number; isKept: boolean }

/** Creates an empty cache. A piece is kept at its first request if `keepsFirst` is set; else at its second. */
export function createPieceCache(maxBytes: number, keepsFirst: boolean): PieceCache {
  /** In order of last request. */
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

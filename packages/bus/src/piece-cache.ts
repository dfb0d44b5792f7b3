import type { StreamEvent } from '@pairwire/contract'
import type { Remember } from './event-log.ts'
import { estimateBytes } from './event-ring.ts'

/** What was read last, bounded by about the heap that it takes; many who ask for the same at once share one reading. */
type PieceCache = Readonly<{ remember: Remember; clear(): void }>

/** An empty cache. */
export function createPieceCache(maxBytes: number): PieceCache {
  /** In the order in which they were last asked for. */
  const pieces = new Map<string, { reading: Promise<readonly StreamEvent[]>; bytes: number }>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= pieces.get(key)?.bytes ?? 0
    pieces.delete(key)
  }

  return {
    remember(key, load) {
      const known = pieces.get(key)
      if (known) {
        pieces.delete(key)
        pieces.set(key, known)
        return known.reading
      }
      const piece = { reading: load(), bytes: 0 }
      pieces.set(key, piece)
      piece.reading.then(
        (events) => {
          if (pieces.get(key) !== piece) return
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
      return piece.reading
    },
    clear() {
      pieces.clear()
      bytes = 0
    },
  }
}

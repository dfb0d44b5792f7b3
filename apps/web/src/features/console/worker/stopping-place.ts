import type { StreamKind } from '@pairwire/contract/methods'

/** Result of {@link createStoppingPlace}. */
export type StoppingPlace = ReturnType<typeof createStoppingPlace>

/** Remembers where a stream stopped, for each kind of its events: the cursor to resume from. */
export function createStoppingPlace() {
  /** The latest frames, unparsed until the cursor is needed. */
  const frames = new Map<StreamKind, string>()
  let named: string | undefined

  return {
    /** Records the frame of a counted event, or of a block. */
    counted(kind: StreamKind, frame: string): void {
      frames.set(kind, frame)
    },
    /** Records the server's closing sentence, which may name a cursor. */
    closed(reason: string): void {
      named = NAMED.exec(reason)?.[1] ?? named
    },
    /** Returns the cursor up to which everything of a kind has arrived; `undefined` if unknown. */
    read(kind: StreamKind): string | undefined {
      // A kind without events has nothing before the newest event of the others.
      const others = [...frames.values()].flatMap((frame) => cursorOf(frame) ?? [])
      const last = cursorOf(frames.get(kind)) ?? others.sort().at(-1)
      // The server names one cursor for all subscriptions, which may be before this one's last event.
      return last === undefined || (named !== undefined && named > last) ? named : last
    },
    /** Forgets everything, for a start from now. */
    forget(): void {
      frames.clear()
      named = undefined
    },
  }
}

/** The end of a closing sentence with the cursor to resume from. */
const NAMED = /resume_from: (\S+)$/

function cursorOf(frame: string | undefined): string | undefined {
  try {
    const { cursor } = JSON.parse(frame ?? '{}')
    return typeof cursor === 'string' && cursor !== '' ? cursor : undefined
  } catch {
    return undefined
  }
}

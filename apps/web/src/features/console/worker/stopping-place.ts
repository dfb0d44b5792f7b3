import type { StreamKind } from '@pairwire/contract/methods'

/** What {@link createStoppingPlace} makes. */
export type StoppingPlace = ReturnType<typeof createStoppingPlace>

/** Keeps where a stream stopped, for each kind of its events: the cursor from which it can be resumed. */
export function createStoppingPlace() {
  /** The latest frames, as they came: they are read only when somebody asks for the place. */
  const frames = new Map<StreamKind, string>()
  let named: string | undefined

  return {
    /** Takes the frame of an event that was counted, or of a block. */
    counted(kind: StreamKind, frame: string): void {
      frames.set(kind, frame)
    },
    /** Takes the sentence with which the server closed the connection; it may name a cursor. */
    closed(reason: string): void {
      named = NAMED.exec(reason)?.[1] ?? named
    },
    /** The cursor up to which everything of a kind has come; `undefined` where none is known. */
    read(kind: StreamKind): string | undefined {
      // Of a kind that brought nothing, nothing stands before the newest event of the others.
      const others = [...frames.values()].flatMap((frame) => cursorOf(frame) ?? [])
      const last = cursorOf(frames.get(kind)) ?? others.sort().at(-1)
      // The server names one place for all subscriptions, which may be before what this one got last.
      return last === undefined || (named !== undefined && named > last) ? named : last
    },
    /** Forgets everything, as at a start from now. */
    forget(): void {
      frames.clear()
      named = undefined
    },
  }
}

/** The end of a closing sentence that says where to come back to. */
const NAMED = /resume_from: (\S+)$/

function cursorOf(frame: string | undefined): string | undefined {
  try {
    const { cursor } = JSON.parse(frame ?? '{}')
    return typeof cursor === 'string' && cursor !== '' ? cursor : undefined
  } catch {
    return undefined
  }
}

import type { StreamEvent } from '@pairwire/contract'
import { expect, it } from 'vitest'
import { CursorTooOldError } from '../bus.ts'
import { aBlock, cursorOf } from '../testing/slot-end.ts'
import { createPastEvents } from './past-events.ts'

/** Past events of a process that does not follow the stream; `beforeLook` is what others append before it looks at the tip. */
function aReader(kept: StreamEvent[], beforeLook: () => void) {
  const tip = { sequence: 0, publisher: '', source: 'chain', epoch: '' }
  return createPastEvents({
    source: 'chain',
    link: { isUp: () => true },
    stream: {
      async look() {
        beforeLook()
        return { ...tip, last: kept.at(-1)?.cursor ?? '' }
      },
    },
    pages: { after: async (cursor: string) => kept.filter((event) => event.cursor > cursor) },
    reader: { hasStarted: () => false },
    publisher: { hasPublished: () => false },
  } as unknown as Parameters<typeof createPastEvents>[0])
}

it('returns the events that are appended between a look for what follows and a look at the newest', async () => {
  const kept = [aBlock(1)]
  const past = aReader(kept, () => kept.push(aBlock(2)))

  expect(await past.after(cursorOf(1))).toEqual([aBlock(2)])
})

it('has nothing after the newest event, and refuses a cursor of a stream that was removed', async () => {
  const kept = [aBlock(1)]

  expect(await aReader(kept, () => {}).after(cursorOf(1))).toEqual([])
  const emptied = aReader(kept, () => kept.splice(0))
  await expect(emptied.after(cursorOf(1))).rejects.toThrow(CursorTooOldError)
})

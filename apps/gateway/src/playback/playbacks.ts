import { type PlaybackWindow, StreamFault } from '@pairwire/filter'
import { createLoopLog } from '@pairwire/process'
import type { ReplayShare } from '../resume/replay-share.ts'
import type { ArchiveParts } from './archive-reader.ts'
import { Playback, type PlaybackOwner } from './playback.ts'

/** The playbacks of a gateway, with a limit on how many run at a time. */
export type Playbacks = ReturnType<typeof createPlaybacks>

/** Creates the playbacks; `shareOf` returns the turns that an account has for them and for replays together. */
export function createPlaybacks(given: ArchiveParts & Readonly<{ shareOf(accountId: string): ReplayShare }>) {
  const { limits, shareOf, clock } = given
  // While the archive is away, all playbacks fail in the same way.
  const parts = { ...given, log: createLoopLog(given.log, () => clock.elapsed()) }
  let open = 0
  return {
    /** Creates one that gathers subscriptions. @throws StreamFault when there are too many */
    open(window: PlaybackWindow, owner: Omit<PlaybackOwner, 'share'>): Playback {
      if (open >= limits.playbacks) {
        const sentence = `${limits.playbacks} replays run here already. Try again in a minute.`
        throw new StreamFault('TOO_MANY_REQUESTS', sentence)
      }
      open++
      return new Playback(window, parts, {
        ...owner,
        share: shareOf(owner.accountId),
        onEnd(closed, why) {
          open--
          owner.onEnd(closed, why)
        },
      })
    },
  }
}

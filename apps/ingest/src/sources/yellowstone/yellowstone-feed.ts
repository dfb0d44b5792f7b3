import type { Feed } from '../chain/feed.ts'
import type { YellowstoneOptions } from './read-stream.ts'

/** Reads the stream of a Yellowstone server, or of any that speaks its protocol. */
export function createYellowstoneFeed(options: YellowstoneOptions): Feed {
  /** Whether the next stream is read ahead of confirmation: not, where the last never said that a slot is confirmed. */
  let isAhead = true
  return {
    name: `yellowstone ${options.url.host}`,
    canReplay: true,
    async read(parts) {
      // Only who reads from such a server pays for its library.
      const { readStream } = await import('./read-stream.ts')
      await readStream(options, parts, {
        isAhead,
        votesLack: () => {
          isAhead = false
        },
        // It was the chain that confirmed nothing for a while.
        votesCame: () => {
          isAhead = true
        },
      })
    },
  }
}

import type { Feed, FeedOptions } from '../chain/feed.ts'

/** Reads the stream of a Yellowstone server, or of any that speaks its protocol. */
export function createYellowstoneFeed(options: FeedOptions): Feed {
  /** Whether to read the next stream ahead of confirmation: not if the last one never confirmed a slot. */
  let isAhead = true
  return {
    name: `yellowstone ${options.url.host}`,
    canReplay: true,
    async read(parts) {
      // Loaded only for such a server.
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

import type { Clock } from '../../clock.ts'
import type { Feed } from '../chain/feed.ts'

/** What {@link createYellowstoneFeed} needs. */
export type YellowstoneOptions = Readonly<{
  /** `https:` or `http:`, without a path. */
  url: URL
  /** Sent as `x-token`. */
  token: string | undefined
  /** Base58 of the programs whose transactions are wanted. */
  programs: readonly string[]
  clock: Clock
  /** Certificates to trust instead of the machine's own, for a server that signs its own. */
  rootCertificates?: Buffer | undefined
  /** Bytes of the largest message that is taken. */
  maxMessageBytes?: number
}>

/** Reads the stream of a Yellowstone server, or of any that speaks its protocol. */
export function createYellowstoneFeed(options: YellowstoneOptions): Feed {
  return {
    name: `yellowstone ${options.url.host}`,
    canReplay: true,
    async read(parts) {
      // Only who reads from such a server pays for its library.
      const { readStream } = await import('./read-stream.ts')
      await readStream(options, parts)
    },
  }
}

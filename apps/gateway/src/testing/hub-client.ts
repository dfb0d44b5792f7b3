import { expect } from 'vitest'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import type { HubClient } from '../fanout/hub-member.ts'
import type { Frames } from '../protocol/frames.ts'
import type { Meter } from '../protocol/subscription.ts'

/** A client of the hub that keeps what it gets: frames as JSON, and the buffers of its writes. */
export function aClient(meter?: Meter) {
  const given: Frames[] = []
  const writes: Buffer[] = []
  let told = 0
  const client: HubClient = {
    codec: websocketCodec,
    outbox: {
      write(frames) {
        given.push(frames)
        writes.push(frames.isShared ? frames.bytes : Buffer.from(frames.bytes))
        return true
      },
    },
    overflowed: () => {},
    sent: ({ newPair, swap, latestBlock }) => {
      told += newPair + swap + latestBlock
    },
    meter: (kind) => (kind === 'swap' ? meter : undefined),
  }
  const frames = () => writes.flatMap(readFrames)
  return {
    client,
    given,
    writes,
    frames,
    told: () => told,
    cursors: () => frames().map((frame) => frame.cursor),
  }
}

/** Returns the payloads of joined text frames. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the form of what it reads
export function readFrames(bytes: Buffer): any[] {
  const frames = []
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at]).toBe(0x81)
    const short = bytes[at + 1]!
    expect(short).toBeLessThan(127)
    const start = at + (short === 126 ? 4 : 2)
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short
    frames.push(JSON.parse(bytes.toString('utf8', start, start + length)))
    at = start + length
  }
  return frames
}

import { mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { decodeTransaction } from '@pairwire/decoders'
import { createIngest } from '../create-ingest.ts'
import { createChainSource } from '../sources/chain/chain-source.ts'
import { createCheckpoint } from '../sources/chain/checkpoint.ts'
import { createYellowstoneFeed } from '../sources/yellowstone/yellowstone-feed.ts'
import { aSwap } from './a-swap.ts'
import { createHastyClock, entryOf, WANTED } from './live-chain.ts'
import { silentLog as log } from './silent-log.ts'

// Streams a live chain and keeps it, in its own process, which a test may kill, and prints a line for each publication.
// Each transaction is a swap.

const [url, folder] = process.argv.slice(2) as [string, string]
mkdirSync(folder, { recursive: true })
const clock = createHastyClock(5)
const feed = createYellowstoneFeed({ url: new URL(url), token: undefined, programs: [WANTED], clock })
const checkpoint = createCheckpoint(folder, log)
const store = await openEventStore({
  folder: join(folder, 'stream'),
  source: 'chain',
  retention: { milliseconds: 86_400_000, bytes: 1_000_000 },
  now: clock.now,
  log,
})
const bus = createInProcessBus({ maxBytes: 10_000, store })
bus.subscribe((batch) => {
  // Written before the next entry is requested, as in a stream.
  writeLine(entryOf(batch))
})
const ingest = createIngest({
  source: createChainSource({ feeds: [feed], backfill: undefined, checkpoint, clock, log }),
  bus,
  clock,
  log,
  decode: (transaction) => ({ ...decodeTransaction(transaction), events: [aSwap()] }),
})
ingest.start()
process.once('SIGTERM', async () => {
  await ingest.stop()
  await bus.close()
  process.exit(0)
})

/** Waits for the reader, which may be busy. */
function writeLine(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

import { mkdirSync, writeSync } from 'node:fs'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { decodeTransaction } from '@pairwire/decoders'
import { createIngest } from '../create-ingest.ts'
import { createChainSource } from '../sources/chain/chain-source.ts'
import { createCheckpoint } from '../sources/chain/checkpoint.ts'
import { createYellowstoneFeed } from '../sources/yellowstone/yellowstone-feed.ts'
import { aSwap } from './a-swap.ts'
import { createHastyClock, WANTED } from './live-chain.ts'
import { silentLog as log } from './silent-log.ts'

// One of several ingests of one chain, which a test may kill. It prints a line when it begins to publish or to stand
// by. Each transaction is a swap.

const [url, folder, nats] = process.argv.slice(2) as [string, string, string]
mkdirSync(folder, { recursive: true })
const clock = createHastyClock(5)
const feed = createYellowstoneFeed({ url: new URL(url), token: undefined, programs: [WANTED], clock })
const bus = await openNatsBus({
  address: readNatsAddress(nats),
  source: 'chain',
  retention: { milliseconds: 86_400_000, bytes: 10_000_000 },
  maxBytes: 10_000,
  log,
})
const ingest = createIngest({
  source: createChainSource({
    feeds: [feed],
    backfill: undefined,
    checkpoint: createCheckpoint(folder, log),
    clock,
    log,
    // The clock is five times as fast, and the chain produces the two minutes that are fetched within eight seconds: a
    // slow machine should not cause a gap.
    maxWaitMs: 60_000,
    maxFillSeconds: 3_600,
  }),
  bus,
  clock,
  log,
  decode: (transaction) => ({ ...decodeTransaction(transaction), events: [aSwap()] }),
})
ingest.start()

let told = ''
setInterval(() => {
  const state = bus.publisherState()
  if (state !== told) writeSync(1, `${state}\n`)
  told = state
}, 20)

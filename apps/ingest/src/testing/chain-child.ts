import { mkdirSync, writeSync } from 'node:fs'
import { createChainSource } from '../sources/chain/chain-source.ts'
import { createCheckpoint } from '../sources/chain/checkpoint.ts'
import { createYellowstoneFeed } from '../sources/yellowstone/yellowstone-feed.ts'
import { collect, createHastyClock, WANTED } from './live-chain.ts'

// Reads a live chain in a process of its own, which a test may kill, and writes a line for what was published.

const [url, folder] = process.argv.slice(2) as [string, string]
mkdirSync(folder, { recursive: true })
const log = { info() {}, warn() {}, error() {} }
const clock = createHastyClock(5)
const feed = createYellowstoneFeed({ url: new URL(url), token: undefined, programs: [WANTED], clock })
const checkpoint = createCheckpoint(folder, log)
collect(createChainSource({ feeds: [feed], backfill: undefined, checkpoint, clock, log }), (entry) => {
  // Written before the next one is asked for, as a stream would have it.
  writeSync(1, `${entry}\n`)
})

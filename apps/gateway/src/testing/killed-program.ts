import { openSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { createPairwire } from '@pairwire/client'
import { fileCursors } from '@pairwire/client/node'

// A program that a test kills: `killed-program.ts <url> <key> <file of cursors> <milliseconds between saves> <log>`.
// Works briefly on each swap, then logs its cursor as finished. Reports when it has begun.

const [url, key, file, saveEveryMs, log] = process.argv.slice(2) as [string, string, string, string, string]
const finished = openSync(log, 'a')
const pairwire = createPairwire({ url, key, retryFirstMs: 5, retryMaxMs: 20 })
const swaps = pairwire.swaps(
  {},
  { cursors: fileCursors(file), saveEveryMs: Number(saveEveryMs), maxUnread: 50 },
)
for await (const { cursor } of swaps) {
  process.send?.('begun')
  await wait(Number(saveEveryMs) % 3)
  writeSync(finished, `${cursor}\n`)
}

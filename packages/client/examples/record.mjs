// Writes every swap as a line of JSON to a file per hour. After a crash it resumes from the last line.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { createPairwire } from '@pairwire/client'

const folder = process.argv[2] ?? 'swaps'
mkdirSync(folder, { recursive: true })

const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const swaps = pairwire.swaps({}, { from: lastCursor() })
swaps.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

for await (const event of swaps) {
  const hour = new Date(event.blockTime * 1_000).toISOString().slice(0, 13)
  appendFileSync(join(folder, `${hour}.ndjson`), `${JSON.stringify(event)}\n`)
}

/** Returns the cursor of the last complete line, and removes an incomplete one that a crash left after it. */
function lastCursor() {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ndjson'))
  for (const name of names.sort().reverse()) {
    const file = join(folder, name)
    const bytes = readFileSync(file)
    const end = bytes.lastIndexOf('\n') + 1
    truncateSync(file, end)
    if (end > 0) return JSON.parse(bytes.toString('utf8', bytes.lastIndexOf('\n', end - 2) + 1, end)).cursor
  }
  return undefined
}

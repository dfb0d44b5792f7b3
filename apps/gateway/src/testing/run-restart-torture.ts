import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomEnds, tortureRestarts } from './restart-torture.ts'

// `npm run torture -- --restarts [kills]`: kills a service that serves clients of every kind, so many times.

const folder = mkdtempSync(join(tmpdir(), 'pairwire-torture-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const kills = Number(process.argv[2] ?? 500)
const random = () => randomInt(1_000_000) / 1_000_000

/** Says how far it is. */
function* counted() {
  let ends = 0
  for (const end of randomEnds(kills, random)) {
    yield end
    ends++
    if (ends % 10 === 0) console.log(`${ends} ends`)
  }
}

const { problems, ...outcome } = await tortureRestarts(folder, counted())
for (const problem of problems) console.error(problem)
console.log(JSON.stringify({ ...outcome, problems: problems.length }))
process.exit(problems.length > 0 ? 1 : 0)

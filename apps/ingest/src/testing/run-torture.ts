import { parseArgs } from 'node:util'
import { torture } from './torture.ts'

// `npm run torture`: 1,000 random schedules of 10,000 events each, or as many as it is told to.

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000' },
    events: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    atOnce: { type: 'string', default: '4' },
  },
})
const first = Number(values.seed)
const end = first + Number(values.schedules)
const sums = { schedules: 0, events: 0, gaps: 0, missed: 0, failed: 0 }
let next = first

const work = async () => {
  while (next < end) {
    const outcome = await torture(next++, Number(values.events))
    sums.schedules++
    sums.events += outcome.events
    sums.gaps += outcome.gaps
    sums.missed += outcome.missed
    if (outcome.problems.length > 0) {
      sums.failed++
      console.log(`seed ${outcome.seed}: ${outcome.problems.slice(0, 5).join(' ')}`)
    }
    if (sums.schedules % 50 === 0) console.log(JSON.stringify(sums))
  }
}
await Promise.all(Array.from({ length: Number(values.atOnce) }, work))
console.log(JSON.stringify(sums))
process.exit(sums.failed > 0 ? 1 : 0)

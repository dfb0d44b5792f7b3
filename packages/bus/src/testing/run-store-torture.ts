import { randomInt } from 'node:crypto'
import { aFolder } from './a-store.ts'
import { tortureStore } from './store-torture.ts'

// `npm run torture -- --store -- [kills]`: kills a process that keeps events, so many times.

const kills = Number(process.argv[2] ?? 500)
const { said, kept, problems } = await tortureStore(aFolder(), kills, () => randomInt(1_000_000) / 1_000_000)
for (const problem of problems) console.error(problem)
console.log(`${kills} kills: ${said} slots were said to be kept, ${kept} are; ${problems.length} problems.`)
process.exit(problems.length > 0 ? 1 : 0)

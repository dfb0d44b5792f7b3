import { tortureDeployment } from './torture.ts'

// `npm run torture -- --deployment [schedules] [seed] [part of the names of deeds]`

const schedules = Number(process.argv[2] ?? 300)
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31))
const { problems, ...outcome } = await tortureDeployment(schedules, seed, {
  report: (line) => console.log(line),
  only: process.argv[4] ?? '',
})
for (const problem of problems) console.error(problem)
console.log(JSON.stringify({ seed, ...outcome, problems: problems.length }))
process.exit(problems.length > 0 ? 1 : 0)

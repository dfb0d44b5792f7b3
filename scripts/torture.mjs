// `npm run torture -- [--archive | --deployment | --restarts | --sdk | --store | --streams | --webhooks] [how many] [seed]`:
// random faults, without a kind on the way from the chain to the published stream. The same seed gives the same faults; a
// deployment takes part of the names of faults as a third word. Exits with status 1 if something is wrong.
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { register } from 'tsx/esm/api'

const KINDS = {
  '': { count: 1_000, run: tortureChain },
  '--archive': { count: 1_000, run: tortureArchive },
  '--deployment': { count: 300, run: tortureDeployment },
  '--restarts': { count: 500, run: tortureRestarts },
  '--sdk': { count: 3_000, run: tortureSdk },
  '--store': { count: 500, run: tortureStore },
  '--streams': { count: 1_000, run: tortureStreams },
  '--webhooks': { count: 200, run: tortureWebhooks },
}

/** Events of one schedule, and schedules that run at once. */
const [EVENTS, AT_ONCE] = [10_000, 4]

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()

async function main() {
  const asked = readWords(process.argv.slice(2))
  if ('fault' in asked) {
    const kinds = Object.keys(KINDS).filter(Boolean).join(' | ')
    console.error(`${asked.fault} Usage: npm run torture -- [${kinds}] [how many] [seed]`)
    process.exit(2)
  }
  register()
  const { kind, count, seed, rest } = asked
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const { problems, ...outcome } = await KINDS[kind].run(count, seed, ...rest)
  for (const problem of problems) console.error(problem)
  console.log(JSON.stringify({ seed, ...outcome, problems: problems.length }))
  process.exit(problems.length > 0 ? 1 : 0)
}

/** The request, with a random seed if none is given, or a sentence about what is wrong with it. */
export function readWords(words) {
  const [kind, ...numbers] = words[0]?.startsWith('--') ? words : ['', ...words]
  if (!(kind in KINDS)) return { fault: `There is no torture ${kind}.` }
  const [count = KINDS[kind].count, seed = randomInt(2 ** 31)] = numbers.slice(0, 2).map(Number)
  const areNumbers = Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(seed) && seed >= 0
  if (!areNumbers) return { fault: `${numbers.join(' ')} is not how many, and a seed: whole numbers.` }
  return { kind, count, seed, rest: numbers.slice(2) }
}

async function tortureChain(schedules, seed) {
  const { torture } = await import('../apps/ingest/src/testing/torture.ts')
  const sums = { schedules: 0, events: 0, gaps: 0, missed: 0, problems: [] }
  let next = seed
  const work = async () => {
    while (next < seed + schedules) {
      const outcome = await torture(next++, EVENTS)
      sums.schedules++
      sums.events += outcome.events
      sums.gaps += outcome.gaps
      sums.missed += outcome.missed
      sums.problems.push(...outcome.problems.slice(0, 5).map((problem) => `seed ${outcome.seed}: ${problem}`))
      if (sums.schedules % 50 === 0)
        console.log(`${sums.schedules} schedules, ${sums.problems.length} problems`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return sums
}

async function tortureDeployment(schedules, seed, only = '') {
  const torture = await import('../e2e/deployment/torture.ts')
  return torture.tortureDeployment(schedules, seed, { report: (line) => console.log(line), only })
}

async function tortureRestarts(kills, seed) {
  const torture = await import('../apps/gateway/src/testing/restart-torture.ts')
  return torture.tortureAtRandom(kills, seed, (ends) => ends % 10 === 0 && console.log(`${ends} ends`))
}

/** Schedules of a program that reads with the SDK; per thirty, one kill of the service and one of a program. */
async function tortureSdk(schedules, seed) {
  const torture = await import('../apps/gateway/src/testing/sdk-torture.ts')
  const restarts = await import('../apps/gateway/src/testing/sdk-restarts.ts')
  const { killProgram } = await import('../apps/gateway/src/testing/program-kills.ts')
  const report = (played) => played % 10 === 0 && console.log(`${played} schedules`)
  const schedule = await torture.tortureSdk(schedules, seed, report)
  const kills = Math.ceil(schedules / 60)
  const restart = await restarts.tortureSdkRestarts(2 * kills, seed, report)
  const [program, each] = [await killProgram(kills, 20, seed), await killProgram(kills, 0, seed)]
  const problems = [schedule, restart, program, each].flatMap((outcome) => outcome.problems)
  return { schedule, restart, program, each, problems }
}

async function tortureStore(kills, seed) {
  const torture = await import('../packages/bus/src/testing/store-torture.ts')
  const { aFolder } = await import('../packages/bus/src/testing/a-store.ts')
  const { createRandom } = await import('@pairwire/chain-double')
  return torture.tortureStore(aFolder(), kills, createRandom(seed))
}

async function tortureArchive(kills, seed) {
  const torture = await import('../apps/archiver/src/testing/archiver-torture.ts')
  const { createRandom } = await import('@pairwire/chain-double')
  return torture.tortureArchiver(kills, createRandom(seed), (line) => console.log(line))
}

async function tortureStreams(cuts, seed) {
  const torture = await import('../apps/gateway/src/testing/stream-torture.ts')
  return torture.tortureStreams(cuts, seed, 1)
}

async function tortureWebhooks(kills, seed) {
  const { tortureWebhooks: torture } = await import('../apps/api/src/testing/webhook-torture.ts')
  return torture(kills, seed, console.log)
}

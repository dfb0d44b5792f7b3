// A rolling restart: `npm run bench -- rolling [clients] [swaps a second]`, 1,000 and 1,000 if not said. A deployment of
// processes on a stand-in chain, whose three gateways are restarted one after the other under clients that filter and
// resume. To be built before. `--dry` prints only.
import { register } from 'tsx/esm/api'
import { keepSection, machine } from '../results.mjs'

register()
const { rollGateways } = await import('../../e2e/deployment/rolling.ts')

/** Runs it, prints the table and keeps it in RESULTS.md. */
export async function run(args) {
  const [clients = 1_000, swaps = 1_000] = args.filter((word) => /^\d+$/.test(word)).map(Number)
  const outcome = await rollGateways(clients, swaps, (line) => console.log(line))
  const { away, problems } = outcome
  const at = (share) =>
    `${(away[Math.min(away.length - 1, Math.floor(away.length * share))] / 1_000).toFixed(2)} s`
  const count = (number) => Math.round(number).toLocaleString('en')
  const section = `## A rolling restart

The three gateways of \`deploy/compose.yaml\` as processes, with two ingests, api, PostgreSQL and nats-server 2.9.10 on one machine, told to stop and started again one after the other. ${count(clients)} clients, each with a filter of 10 tokens of which one is traded, come back to any gateway after 150 to 300 ms and resume. What they got is held against the chain decoded again. ${machine()}

| | |
|---|---|
| swaps a second | ${count(outcome.swapsPerSecond)} |
| from the first stop to the end | ${outcome.seconds.toFixed(1)} s |
| swaps received by all clients | ${count(outcome.received)} |
| missing without a gap (bound: 0) | ${count(outcome.missing)} |
| gaps said | ${count(outcome.gaps)} |
| away, the longest time of a client: median, p99 | ${at(0.5)}, ${at(0.99)} |
| away, the longest of all (bound: 3 s) | ${at(1)} |
`
  for (const problem of problems.slice(0, 20)) console.error(problem)
  console.log(`\n${section}`)
  if (problems.length === 0 && !args.includes('--dry')) keepSection('rolling', section)
  process.exit(problems.length > 0 || outcome.missing > 0 ? 1 : 0)
}

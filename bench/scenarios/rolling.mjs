import { takeTypeScript } from '../harness/product.mjs'
import { machine, quantile, whole } from '../harness/results.mjs'

export const title = 'A rolling restart'
export const about =
  'A deployment of processes on a stand-in chain, whose three gateways are restarted one after the other under clients that filter and resume. Build first.'
export const options = { clients: [1_000, 'clients'], swaps: [1_000, 'swaps a second'] }

export async function* run({ clients, swaps }) {
  takeTypeScript()
  const { rollGateways } = await import('../../e2e/deployment/rolling.ts')
  const outcome = await rollGateways(clients, swaps, (line) => console.log(line))
  const { away, problems, missing } = outcome
  const at = (share) => `${(quantile([...away], share) / 1_000).toFixed(2)} s`
  const text = `## ${title}

The three gateways of \`deploy/compose.yaml\` as processes, with two ingests, api, PostgreSQL and nats-server on one machine, told to stop and started again one after the other. ${whole(clients)} clients, each with a filter of 10 tokens of which one is traded, come back to any gateway after 150 to 300 ms and resume. What they received is compared with the chain decoded again. ${machine()}

| | |
|---|---|
| swaps a second | ${whole(outcome.swapsPerSecond)} |
| from the first stop to the end | ${outcome.seconds.toFixed(1)} s |
| swaps received by all clients | ${whole(outcome.received)} |
| missing without a gap (bound: 0) | ${whole(missing)} |
| gaps said | ${whole(outcome.gaps)} |
| away, the longest time of a client: median, p99 | ${at(0.5)}, ${at(0.99)} |
| away, the longest of all (bound: 3 s) | ${at(1)} |
`
  const violations =
    missing > 0 ? [...problems.slice(0, 20), `${missing} swaps are missing.`] : problems.slice(0, 20)
  yield { text, violations }
}

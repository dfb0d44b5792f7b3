import { html } from '../html.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { table } from './fields.ts'

/** The part of /docs/self-hosting that the banner of a simulated market leads to. */
export function goingLive(): DocPage['sections'][number] {
  return {
    id: 'live',
    heading: 'Going live',
    text: html`<p>By default the market is simulated. One setting switches it to mainnet, with your own endpoint or a provider's:</p>
${table(
  ['Source', 'What it sees', 'What it cannot see'],
  SOURCES.map(([source, sees, lacks]) => [html`<code>${source}</code>`, sees, lacks]),
)}
<p>We built this without access to a mainnet endpoint. We tested the readers on recorded mainnet transactions, and on stand-ins that speak the real protocols and that the official clients can read. So first let <code>check-source</code> read your endpoint for ten seconds. It reports which software the endpoint runs, how far back it goes, what it delivers for each exchange, how late it is, and any problems. Its exit status is 0 if you can use the endpoint.</p>
<p>If you have no endpoint, <code>chain</code> starts a stand-in. The simulator feeds it, and it speaks the same protocols. It also serves the pages and pictures of its tokens, and a service on the same machine is allowed to fetch those, and nothing else, from its own machine. It keeps the last 150 blocks, which is one minute, so a longer break becomes a gap. <code>--swaps</code> sets how busy it is. <code>--fault drops=0.001</code> and other faults set what goes wrong.</p>`,
    code: codeFigure(
      'Shell',
      `npm run pairwire -- check-source yellowstone+https://grpc.example

SOLANA_SOURCE=yellowstone+https://grpc.example \\
SOLANA_SOURCE_TOKEN=<token> SOLANA_RPC_URL=https://rpc.example npm start

npm run pairwire -- chain --port 10000
SOLANA_SOURCE=yellowstone+http://127.0.0.1:10000 npm start`,
    ),
  }
}

/** How the source begins, what it sees, what it cannot. */
const SOURCES: readonly (readonly [string, string, string])[] = [
  [
    'yellowstone+https://<host>',
    'Everything, in the order of the chain, as soon as a slot is confirmed. After a break it continues where it stopped: it uses the server’s replay, or SOLANA_RPC_URL. The endpoint must allow two transaction filters in a stream: the second brings swaps on proprietary AMMs without their quotes.',
    'After a break, anything older than two minutes. The stream sends a gap instead.',
  ],
  [
    'rpc+https://<host>',
    'The same, from whole blocks. It makes one call per block: several a second, megabytes each. Few public endpoints allow that.',
    'The same as with gRPC.',
  ],
  [
    'logs+wss://<host>',
    'For free endpoints: swaps and new pairs of pump.fun, PumpSwap, Raydium CLMM and PancakeSwap, and new pairs of Orca Whirlpool, as far as their programs log them.',
    'Every other exchange, proprietary AMMs such as HumidiFi among them, swaps signed by a program, and everything after the first 10 kB of a transaction’s logs. Events are in order of arrival, without cursors. After a break the stream sends a gap; it does not fetch the missed events.',
  ],
]

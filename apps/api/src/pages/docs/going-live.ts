import { html } from '../html.ts'
import { codeFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { table } from './fields.ts'

/** The part of /docs/self-hosting that the banner of a simulated market leads to. */
export function goingLive(): DocPage['sections'][number] {
  return {
    id: 'live',
    heading: 'Going live',
    text: html`<p>Without a setting the market is simulated. One line makes it mainnet, with an endpoint of yours or of a provider:</p>
${table(
  ['Source', 'What it sees', 'What it cannot see'],
  SOURCES.map(([source, sees, lacks]) => [html`<code>${source}</code>`, sees, lacks]),
)}
<p>No endpoint of mainnet could be reached from where this was built. What reads the chain was tested on transactions that mainnet recorded, and on stand-ins that speak the real protocols, which the clients of the protocols’ owners read unmodified. So let <code>check-source</code> read your endpoint for ten seconds first: it says which software it runs, how far back it goes, what it gives by exchange, how late it is, and what is wrong. Its exit status is 0 when the endpoint can be used.</p>
<p>Without an endpoint, <code>chain</code> starts a stand-in that the simulator feeds, over the same protocols. <code>--swaps</code> sets how busy it is, and <code>--fault drops=0.001</code> and others what goes wrong.</p>`,
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
    'Everything, in the order of the chain, as soon as a slot is confirmed. After a break it goes on where it was, by the server’s replay, else from SOLANA_RPC_URL.',
    'After a break, what lies more than two minutes of chain back: a gap is said.',
  ],
  [
    'rpc+https://<host>',
    'The same, from whole blocks. It takes a call for each, several a second and megabytes each, which public endpoints seldom allow.',
    'The same as with gRPC.',
  ],
  [
    'logs+wss://<host>',
    'For free endpoints: swaps and new pairs of pump.fun, PumpSwap, Raydium CLMM and PancakeSwap, and new pairs of Orca Whirlpool, as their programs log them.',
    'Every other exchange, swaps through an account of a program, and what stands behind the 10 kB at which logs are cut. Events come in order of arrival, without cursors; what a break missed is not fetched: a gap is said.',
  ],
]

import { html } from '../html.ts'
import { LATEST_BLOCK_FRAME, NEW_PAIR_FRAME, SWAP_FRAME } from './example-frames.ts'
import type { Field } from './fields.ts'

const { pair } = NEW_PAIR_FRAME.params
const { swap } = SWAP_FRAME.params
const info = 'params.pair.baseToken.info'

/** What every event carries. */
export const FRAME_FIELDS: readonly Field[] = [
  {
    path: 'subscription_id',
    type: 'integer',
    example: '2',
    meaning: 'The subscription that this event belongs to, from the answer to your subscribe.',
  },
  {
    path: 'method',
    type: 'string',
    example: '"swapNotification"',
    meaning: 'The kind of frame. A notification has no id.',
  },
  {
    path: 'params.slot',
    type: 'integer',
    example: String(SWAP_FRAME.params.slot),
    meaning: 'The slot of the block that holds the event.',
  },
  {
    path: 'params.signature',
    type: 'string',
    example: `"${SWAP_FRAME.params.signature.slice(0, 12)}…"`,
    meaning: 'The transaction; any explorer can show it. One transaction can hold several events.',
  },
  {
    path: 'params.blockTime',
    type: 'integer',
    example: String(SWAP_FRAME.params.blockTime),
    meaning: 'Unix seconds, by the ledger’s clock.',
  },
  {
    path: 'cursor',
    type: 'string',
    example: `"${SWAP_FRAME.cursor}"`,
    meaning: html`The place of this event in the stream. See <a href="/docs/cursors">cursors</a>.`,
  },
]

/** The members of `params.pair`. */
export const NEW_PAIR_FIELDS: readonly Field[] = [
  {
    path: 'params.pair.sourceExchange',
    type: 'string',
    example: `"${pair.sourceExchange}"`,
    meaning: 'Where the pair trades. New names may appear at any time.',
  },
  {
    path: 'params.pair.launchpad',
    type: 'string or null',
    example: `"${pair.launchpad}"`,
    meaning:
      'The launchpad of the curve, or of the pool it moved to. New names may appear. Null or absent if unknown.',
  },
  {
    path: 'params.pair.ammAccount',
    type: 'address',
    example: `"${pair.ammAccount}"`,
    meaning: 'The pool, or the curve on a launchpad.',
  },
  {
    path: 'params.pair.baseToken.account',
    type: 'address',
    example: `"${pair.baseToken.account}"`,
    meaning: 'The mint of the traded token.',
  },
  {
    path: info,
    type: 'object or null',
    example: '{"decimals":6,…}',
    meaning:
      'What the service knows about the mint. Null for wrapped SOL, and while decimals or supply are unknown, for example for a token older than the service.',
  },
  {
    path: `${info}.decimals`,
    type: 'integer',
    example: '6',
    meaning: 'Divide raw units by 10 to this power.',
  },
  {
    path: `${info}.supply`,
    type: 'string',
    example: '"1000000000000000"',
    meaning:
      'Current supply in raw units, from the mints and burns that the service saw or from the chain. A string, because it can be too large for a number.',
  },
  {
    path: `${info}.metadata`,
    type: 'object or null',
    example: '{"name":"Harbour Cat",…}',
    meaning: 'The token’s own name, symbol and links. Null while unknown.',
  },
  {
    path: `${info}.metadata.name`,
    type: 'string',
    example: '"Harbour Cat"',
    meaning:
      'Anyone can launch a token with any name. Show it as plain text, and tell tokens apart by their mint.',
  },
  {
    path: `${info}.metadata.symbol`,
    type: 'string',
    example: '"HARB"',
    meaning: 'Anyone can choose any symbol, too.',
  },
  {
    path: `${info}.metadata.logo`,
    type: 'string or null',
    example: 'null',
    meaning: html`URL of a picture. A stranger chose it. Usually null at first: it <a href="/docs/messages#pair-updates">arrives later</a>.`,
  },
  {
    path: `${info}.metadata.socials`,
    type: 'object or null',
    example: '{"website":"https://harb.example",…}',
    meaning: html`<code>website</code>, <code>x</code> and <code>telegram</code>, each a string or null.`,
  },
  {
    path: `${info}.mintAuthority`,
    type: 'address or null',
    example: 'null',
    meaning: 'Who can make more of the token. Null if nobody can.',
  },
  {
    path: `${info}.freezeAuthority`,
    type: 'address or null',
    example: 'null',
    meaning: 'Who can freeze holders’ tokens. Null if nobody can.',
  },
  {
    path: 'params.pair.quoteToken',
    type: 'object',
    example: '{"account":"So111…","info":null}',
    meaning: 'The token that the price is in, in the same form.',
  },
  {
    path: 'params.pair.baseTokenLiquidityAdded',
    type: 'string',
    example: `"${pair.baseTokenLiquidityAdded}"`,
    meaning: 'Raw units of the token that the pool received, or that the curve held, at creation.',
  },
  {
    path: 'params.pair.quoteTokenLiquidityAdded',
    type: 'string',
    example: `"${pair.quoteTokenLiquidityAdded}"`,
    meaning: 'The same for the quote token. "0" for a curve: its reserves are virtual.',
  },
  {
    path: 'params.pair.migration',
    type: 'string or null',
    example: 'null',
    meaning: html`The launchpad that the token graduated from: <code>pumpfun</code>, <code>raydium_launchpad</code> or <code>meteora_dbc</code>.`,
  },
]

/** The members of `params.swap`. */
export const SWAP_FIELDS: readonly Field[] = [
  {
    path: 'params.swap.sourceExchange',
    type: 'string',
    example: `"${swap.sourceExchange}"`,
    meaning: 'The exchange of the trade. New names may appear at any time.',
  },
  {
    path: 'params.swap.launchpad',
    type: 'string or null',
    example: 'null',
    meaning: 'The launchpad, if the trade is on a curve. Null or absent if unknown, and on pools.',
  },
  {
    path: 'params.swap.ammAccount',
    type: 'address',
    example: `"${swap.ammAccount}"`,
    meaning: 'The pool or curve.',
  },
  {
    path: 'params.swap.baseTokenMint',
    type: 'address',
    example: `"${swap.baseTokenMint}"`,
    meaning: 'The token bought or sold.',
  },
  {
    path: 'params.swap.quoteTokenMint',
    type: 'address',
    example: `"${swap.quoteTokenMint}"`,
    meaning: 'The token paid with.',
  },
  {
    path: 'params.swap.walletAccount',
    type: 'address',
    example: `"${swap.walletAccount}"`,
    meaning: 'The trader: the swap’s authority if it signed, otherwise the payer of the fee.',
  },
  {
    path: 'params.swap.quotePrice',
    type: 'string',
    example: `"${swap.quotePrice}"`,
    meaning: 'Price of one whole base token in the quote token. May be in scientific notation; never empty.',
  },
  {
    path: 'params.swap.usdValue',
    type: 'number or null',
    example: String(swap.usdValue),
    meaning:
      'The value of the swap in US dollars. Null, which is not zero, if the quote token had no known price in the last minute.',
  },
  {
    path: 'params.swap.baseAmount',
    type: 'string',
    example: `"${swap.baseAmount}"`,
    meaning: 'Raw units of the base token that went through the pool.',
  },
  {
    path: 'params.swap.quoteAmount',
    type: 'string',
    example: `"${swap.quoteAmount}"`,
    meaning: 'Raw units of the quote token.',
  },
  {
    path: 'params.swap.swapType',
    type: '"buy" or "sell"',
    example: `"${swap.swapType}"`,
    meaning: 'What the wallet did with the base token.',
  },
  {
    path: 'params.swap.quoteTokenLiquidity',
    type: 'string',
    example: `"${swap.quoteTokenLiquidity}"`,
    meaning: 'Raw units of the quote token in the pool after the swap. Empty if unknown.',
  },
]

/** Everything that a block's notification carries. */
export const LATEST_BLOCK_FIELDS: readonly Field[] = [
  { path: 'subscription_id', type: 'integer', example: '3', meaning: 'The subscription.' },
  {
    path: 'method',
    type: 'string',
    example: '"latestBlockNotification"',
    meaning: 'The kind of frame.',
  },
  {
    path: 'params.block',
    type: 'integer',
    example: String(LATEST_BLOCK_FRAME.params.block),
    meaning: 'The slot of the block.',
  },
  {
    path: 'params.blockTime',
    type: 'integer',
    example: String(LATEST_BLOCK_FRAME.params.blockTime),
    meaning:
      'Unix seconds, by the ledger’s clock. If your clock is right, your time minus this is your delay.',
  },
  {
    path: 'cursor',
    type: 'string',
    example: `"${LATEST_BLOCK_FRAME.cursor}"`,
    meaning: 'The last place in the block, after all of its events.',
  },
]

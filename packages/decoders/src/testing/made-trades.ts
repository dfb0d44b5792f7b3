import { writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import type { Exchange } from '@pairwire/contract/exchanges'
import { bytesOfHex } from '../bytes/discriminator.ts'
import * as boop from '../programs/boop/layout.ts'
import * as heaven from '../programs/heaven/layout.ts'
import * as moonshot from '../programs/moonshot/layout.ts'
import { VENUES } from '../programs/prop-amms/layout.ts'
import type { Transaction } from '../transaction.ts'
import { createAnchorCoder } from './anchor.ts'
import { address, aKey, aMovement, aTransaction, aTransfer, concat, TRADER } from './transactions.ts'

const anchor = createAnchorCoder({
  types: {
    TradeParams: 'token_amount: u64, collateral_amount: u64, fixed_side: u8, slippage_bps: u64',
    BuyParams: 'max_sol_spend: u64, minimum_amount_out: u64, encoded_user_defined_event_data: string',
  },
  events: {
    TradeEvent: `amount: u64, collateral_amount: u64, dex_fee: u64, helio_fee: u64, allocation: u64, curve: pubkey,
      cost_token: pubkey, sender: pubkey, trade_type: u8, label: string`,
    TokenBoughtEvent:
      'mint: pubkey, amount_in: u64, amount_out: u64, swap_fee: u64, buyer: pubkey, recipient: pubkey',
  },
  instructions: {
    buy: 'params: BuyParams',
    sell: 'data: TradeParams',
    buy_token: 'buy_amount: u64, amount_out_min: u64',
  },
})

const [POOL, MINT, VAULT, SOL_VAULT, USER, USER_SOL, FILLER] = [1, 2, 3, 4, 5, 6, 30].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const fillers = (count: number) => new Array<Uint8Array>(count).fill(FILLER)

/** A trade of each program without a transaction in the repository, in bytes of Anchor's coder. */
export function madeTrades(): readonly Transaction[] {
  const movements = [aMovement(VAULT, encodeBase58(MINT), 10_000n, 9_500n, 9)]
  const moonshotSell = {
    program: address(moonshot.PROGRAM_ID),
    accounts: [TRADER, USER, POOL, VAULT, FILLER, FILLER, MINT, ...fillers(4)],
    data: anchor.instruction('sell', {
      data: { token_amount: 0n, collateral_amount: 0n, fixed_side: 0, slippage_bps: 0n },
    }),
    steps: [
      aTransfer(USER, VAULT, 500n),
      writeEventLog(
        anchor.event('TradeEvent', { amount: 500n, collateral_amount: 990n, curve: POOL, trade_type: 1 }),
      ),
    ],
  }
  const boopBuy = {
    program: address(boop.PROGRAM_ID),
    accounts: [MINT, POOL, FILLER, VAULT, SOL_VAULT, USER, TRADER, ...fillers(5)],
    data: anchor.instruction('buy_token'),
    steps: [
      aTransfer(VAULT, USER, 500n),
      writeEventLog(
        anchor.event('TokenBoughtEvent', { mint: MINT, amount_in: 990n, amount_out: 500n, swap_fee: 10n }),
      ),
    ],
  }
  const heavenBuy = {
    program: address(heaven.PROGRAM_ID),
    accounts: [...fillers(4), POOL, TRADER, MINT, address(WRAPPED_SOL), USER, USER_SOL, VAULT, SOL_VAULT],
    data: anchor.instruction('buy', {
      params: { max_sol_spend: 0n, minimum_amount_out: 0n, encoded_user_defined_event_data: '' },
    }),
    steps: [aTransfer(USER_SOL, SOL_VAULT, 1_000n), aTransfer(VAULT, USER, 500n)],
  }
  const made = [moonshotSell, boopBuy, heavenBuy].map((call) => aTransaction({ calls: [call], movements }))
  return [...made, aTableSwap('scorch', '02', 34), aTableSwap('quantum', '07', 18)]
}

/** A swap in the first form of a venue of the table: 1,000 in, 500 out. */
function aTableSwap(venue: Exchange, tag: string, size: number): Transaction {
  const { program, swaps } = VENUES.find(({ exchange }) => exchange === venue)!
  const { accounts: count, pool, authority, users, vaults } = swaps[0]!
  const accounts = fillers(count)
  const placed = [POOL, TRADER, USER_SOL, USER, SOL_VAULT, VAULT]
  for (const [at, place] of [pool, authority, ...users, ...vaults].entries()) accounts[place] = placed[at]!
  const data = concat(bytesOfHex(tag), new Uint8Array(size - tag.length / 2))
  const steps = [aTransfer(USER_SOL, SOL_VAULT, 1_000n), aTransfer(VAULT, USER, 500n)]
  const movements = [
    aMovement(SOL_VAULT, WRAPPED_SOL, 0n, 1_000n, 9),
    aMovement(VAULT, encodeBase58(MINT), 10_000n, 9_500n),
  ]
  return aTransaction({ calls: [{ program: address(program), accounts, data, steps }], movements })
}

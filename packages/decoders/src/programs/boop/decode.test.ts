import { writeEventLog, writeMintTo } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID } from './layout.ts'

/** No whole transaction of this program is public: bytes are Anchor's. @see https://github.com/sevenlabs-hq/carbon */
const anchor = createAnchorCoder({
  events: {
    TokenBoughtEvent:
      'mint: pubkey, amount_in: u64, amount_out: u64, swap_fee: u64, buyer: pubkey, recipient: pubkey',
    TokenSoldEvent:
      'mint: pubkey, amount_in: u64, amount_out: u64, swap_fee: u64, seller: pubkey, recipient: pubkey',
  },
  instructions: {
    buy_token: 'buy_amount: u64, amount_out_min: u64',
    sell_token: 'sell_amount: u64, amount_out_min: u64',
    deploy_bonding_curve: 'creator: pubkey, salt: u64',
    graduate: '',
  },
})

const PROGRAM = address(PROGRAM_ID)
const [CURVE, MINT, VAULT, SOL_VAULT, USER, FILLER] = [1, 2, 3, 4, 5, 30].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const MOVEMENTS = [aMovement(VAULT, encodeBase58(MINT), 10_000n, 9_500n, 9)]

function aTrade(isBuy: boolean, mint = MINT) {
  const event = isBuy
    ? anchor.event('TokenBoughtEvent', { mint, amount_in: 990n, amount_out: 500n, swap_fee: 10n })
    : anchor.event('TokenSoldEvent', { mint, amount_in: 500n, amount_out: 960n, swap_fee: 10n })
  return {
    program: PROGRAM,
    accounts: [MINT, CURVE, FILLER, VAULT, SOL_VAULT, USER, TRADER, FILLER, FILLER, FILLER, FILLER, FILLER],
    data: anchor.instruction(isBuy ? 'buy_token' : 'sell_token'),
    steps: [isBuy ? aTransfer(VAULT, USER, 500n) : aTransfer(USER, VAULT, 500n), writeEventLog(event)],
  }
}

describe('boop decoder', () => {
  it('reads a purchase by what the curve received, without its fee', () => {
    const { events, refusals } = decodeCalls([aTrade(true)], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'boop',
        launchpad: 'boop',
        ammAccount: encodeBase58(CURVE),
        baseTokenMint: encodeBase58(MINT),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 990n,
      },
    ])
  })

  it('reads a sale by all that the curve paid out, with the fee', () => {
    const { events } = decodeCalls([aTrade(false)], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'sell', baseAmount: 500n, quoteAmount: 970n }])
  })

  it('refuses an event of another token by name', () => {
    const { events, refusals } = decodeCalls([aTrade(true, aKey(99))], { movements: MOVEMENTS })

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ exchange: 'boop', reason: 'missing_event' }])
  })

  it('reads a new pair when its curve is deployed, with the tokens that it holds and its creator', () => {
    const supply = writeMintTo(address(TOKEN_PROGRAM), MINT, VAULT, FILLER, 1_000n)

    const { events } = decodeCalls([
      {
        program: PROGRAM,
        accounts: [MINT, FILLER, CURVE, SOL_VAULT, VAULT, FILLER, TRADER],
        data: anchor.instruction('deploy_bonding_curve', { creator: USER }),
        steps: [supply],
      },
    ])

    expect(events).toMatchObject([
      {
        kind: 'newPair',
        ammAccount: encodeBase58(CURVE),
        baseTokenLiquidityAdded: 1_000n,
        launchpad: 'boop',
        creator: encodeBase58(USER),
      },
    ])
  })

  it('returns nothing for a graduation', () => {
    const decoded = decodeCalls([{ program: PROGRAM, accounts: [], data: anchor.instruction('graduate') }])

    expect(decoded).toMatchObject({ events: [], refusals: [] })
  })
})

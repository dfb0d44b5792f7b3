import { type Call, writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { PROGRAM_ID } from './layout.ts'

const anchor = createAnchorCoder({
  instructions: { admin_increase_liquidity: 'liquidity: u128', swap_v2: 'amount: u64' },
  events: {
    Traded: `whirlpool: pubkey, a_to_b: bool, pre_sqrt_price: u128, post_sqrt_price: u128, input_amount: u64,
      output_amount: u64, input_transfer_fee: u64, output_transfer_fee: u64, lp_fee: u64, protocol_fee: u64`,
  },
})

describe('orca whirlpool', () => {
  it('reads each of two swaps of one pool by its own event if their hidden fee cannot be split between them', () => {
    const [POOL, VAULT_A, VAULT_B, USER, TOKEN, FILLER] = [1, 2, 3, 4, 5, 30].map(aKey) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const accounts = [FILLER, FILLER, FILLER, TRADER, POOL, aKey(203), TOKEN, USER, VAULT_A, USER, VAULT_B]
    const traded = { whirlpool: POOL, a_to_b: true, output_amount: 500n, output_transfer_fee: 7n }
    const aSwap = (sent: bigint, fee: bigint): Call => ({
      program: address(PROGRAM_ID),
      accounts,
      data: anchor.instruction('swap_v2'),
      steps: [
        aTransfer(USER, VAULT_A, sent, true),
        aTransfer(VAULT_B, USER, 500n, true),
        writeEventLog(anchor.event('Traded', { ...traded, input_amount: sent, input_transfer_fee: fee })),
      ],
    })
    const movements = [
      aMovement(VAULT_A, encodeBase58(aKey(203)), 0n, 2_910n),
      aMovement(VAULT_B, encodeBase58(TOKEN), 9_000n, 8_000n),
    ]

    const { events, refusals } = decodeCalls([aSwap(1_000n, 30n), aSwap(2_000n, 60n)], { movements })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { swapType: 'sell', baseAmount: 970n, quoteAmount: 500n },
      { swapType: 'sell', baseAmount: 1_940n, quoteAmount: 500n },
    ])
  })

  it("treats an administrator's patch of a pool as no swap and no unknown call", () => {
    const call = {
      program: address(PROGRAM_ID),
      accounts: [aKey(1), aKey(2), TRADER],
      data: anchor.instruction('admin_increase_liquidity'),
    }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })
})

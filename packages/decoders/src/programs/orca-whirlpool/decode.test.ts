import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { PROGRAM_ID } from './layout.ts'

const anchor = createAnchorCoder({ instructions: { admin_increase_liquidity: 'liquidity: u128' } })

describe('orca whirlpool', () => {
  it("treats an administrator's patch of a pool as no swap and no unknown call", () => {
    const call = {
      program: address(PROGRAM_ID),
      accounts: [aKey(1), aKey(2), TRADER],
      data: anchor.instruction('admin_increase_liquidity'),
    }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })
})

import { type Call, writeLamportTransfer, writeMintTo } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { TOKEN_2022_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID } from './layout.ts'

/** No whole transaction of this program is public: bytes are Anchor's. @see https://github.com/sevenlabs-hq/carbon */
const anchor = createAnchorCoder({
  types: {
    BuyParams: 'max_sol_spend: u64, minimum_amount_out: u64, encoded_user_defined_event_data: string',
    CreateParams: 'encoded_user_defined_event_data: string, initial_purchase_amount: u64, max_sol_spend: u64',
  },
  instructions: {
    buy: 'params: BuyParams',
    create_standard_liquidity_pool: 'protocol_config_version: u16, params: CreateParams',
    set_protocol_slot_fees: '',
  },
})

const PROGRAM = address(PROGRAM_ID)
const SOL = address(WRAPPED_SOL)
const [POOL, MINT, VAULT_A, VAULT_B, USER_A, USER_B, FILLER] = [1, 2, 3, 4, 5, 6, 30].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

describe('heaven decoder', () => {
  it('reads a trade by its vaults', () => {
    const call: Call = {
      program: PROGRAM,
      accounts: [FILLER, FILLER, FILLER, FILLER, POOL, TRADER, MINT, SOL, USER_A, USER_B, VAULT_A, VAULT_B],
      data: anchor.instruction('buy', {
        params: { max_sol_spend: 0n, minimum_amount_out: 0n, encoded_user_defined_event_data: '' },
      }),
      steps: [aTransfer(USER_B, VAULT_B, 1_000n), aTransfer(VAULT_A, USER_A, 500n, true)],
    }

    const { events, refusals } = decodeCalls([call], {
      movements: [aMovement(VAULT_A, encodeBase58(MINT), 10_000n, 9_500n, 9)],
    })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'heaven',
        launchpad: null, // a pool, without a curve
        curve: null,
        ammAccount: encodeBase58(POOL),
        walletAccount: encodeBase58(TRADER),
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_000n,
      },
    ])
  })

  const create = (purchase: bigint, steps: Call[]): Call => ({
    program: PROGRAM,
    accounts: [
      FILLER,
      FILLER,
      FILLER,
      TRADER,
      TRADER,
      MINT,
      SOL,
      USER_A,
      VAULT_A,
      VAULT_B,
      POOL,
      FILLER,
      FILLER,
    ],
    data: anchor.instruction('create_standard_liquidity_pool', {
      params: {
        encoded_user_defined_event_data: 'abc',
        initial_purchase_amount: purchase,
        max_sol_spend: 0n,
      },
    }),
    steps: [writeMintTo(address(TOKEN_2022_PROGRAM), MINT, VAULT_A, FILLER, 10_000n), ...steps],
  })
  const MOVEMENTS = [aMovement(VAULT_A, encodeBase58(MINT), null, 9_500n, 9)]

  it("reads a creation and, after it, the creator's first purchase", () => {
    const { events, refusals } = decodeCalls(
      [create(500n, [writeLamportTransfer(TRADER, VAULT_B, 70n), aTransfer(VAULT_A, USER_A, 500n, true)])],
      { movements: MOVEMENTS },
    )

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        ...{ kind: 'newPair', launchpad: 'heaven', ammAccount: encodeBase58(POOL) },
        baseTokenLiquidityAdded: 10_000n,
      },
      {
        ...{ kind: 'swap', launchpad: null, swapType: 'buy', baseAmount: 500n, quoteAmount: 70n },
        quoteTokenMint: WRAPPED_SOL,
      },
    ])
  })

  it('names the creator of a pool that another wallet pays for', () => {
    const creation = create(0n, [])
    const accounts = creation.accounts.with(3, USER_B)

    expect(decodeCalls([{ ...creation, accounts }], { movements: MOVEMENTS }).events).toMatchObject([
      { creator: encodeBase58(USER_B) },
    ])
  })

  it('reads a creation without a purchase as only a creation', () => {
    const { events, refusals } = decodeCalls([create(0n, [])], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events.map(({ kind }) => kind)).toEqual(['newPair'])
  })

  it('refuses a first purchase without its payment in the record, and keeps the creation', () => {
    const { events, refusals } = decodeCalls([create(500n, [aTransfer(VAULT_A, USER_A, 500n, true)])], {
      movements: MOVEMENTS,
    })

    expect(events.map(({ kind }) => kind)).toEqual(['newPair'])
    expect(refusals).toMatchObject([{ exchange: 'heaven', reason: 'missing_event' }])
  })

  it("returns nothing for an administrator's calls", () => {
    const data = anchor.instruction('set_protocol_slot_fees')

    expect(decodeCalls([{ program: PROGRAM, accounts: [], data }])).toMatchObject({
      events: [],
      refusals: [],
    })
  })
})

import type { Decoder, PoolTrade } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import type { VaultFlow } from '../../transaction/vault-flow.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { readMigration } from '../migration.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  CREATION_EVENT,
  CREATOR,
  INITIALIZE_CUSTOMIZABLE_POOL,
  INITIALIZE_POOL,
  INITIALIZE_POOL_WITH_DYNAMIC_CONFIG,
  INSTRUCTIONS,
  type InitializePlaces,
  OLD_SWAP_EVENT,
  PROGRAM_ID,
  readCreationEvent,
  readOldSwapEvent,
  readSwapEvent,
  SWAP,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Meteora DAMM v2. Amounts are the token transfers in and out of the vaults without a referrer's share, or the event's
 * if the record has no transfers. Fees waiting in the vaults are not part of the reserves in the event.
 */
export const meteoraDammV2: Decoder = createAnchorDecoder('meteora_damm_v2', [PROGRAM_ID], INSTRUCTIONS, {
  swap: decodeSwap,
  initialize: initialize(INITIALIZE_POOL),
  initializeCustomizable: initialize(INITIALIZE_CUSTOMIZABLE_POOL),
  initializeWithDynamicConfig: initialize(INITIALIZE_POOL_WITH_DYNAMIC_CONFIG),
})

function decodeSwap(invocation: Invocation): PoolTrade {
  const event = readEvent(invocation)
  if (event === undefined) return createVaultTrade(invocation, SWAP)
  const { aToB, amountIn, amountOut, reserveA, reserveB } = event
  return createVaultTrade(invocation, SWAP, {
    base: { stated: aToB ? amountIn : -amountOut, reserve: reserveA },
    quote: { stated: aToB ? -amountOut : amountIn, reserve: reserveB },
  })
}

/** Reads this swap's event; `undefined` when the record lacks it. @throws Refused when it is of another pool. */
function readEvent(invocation: Invocation): SwapEvent | undefined {
  const body = invocation.event(SWAP_EVENT)
  const oldBody = body === undefined ? invocation.event(OLD_SWAP_EVENT) : undefined
  const event = body ? readSwapEvent(body) : oldBody && readOldSwapEvent(oldBody)
  if (event !== undefined) invocation.assertNames(SWAP.pool, event.pool)
  return event
}

function initialize({ pool, base, quote }: InitializePlaces): Decoder['decode'] {
  return (invocation) => {
    const migration = readMigration(invocation)
    // A migration adds its second position after creating the pool.
    const [a, b] = [base, quote].map(({ vault }) =>
      invocation.vaultFlowAndFee(invocation.account(vault), migration?.end),
    ) as [VaultFlow, VaultFlow]
    // A pool may open with only one of its tokens.
    if (!a.isMoved && !b.isMoved) throw new Refused('missing_event')
    const openingOf = ({ flow, isMoved }: VaultFlow, side: 'amountA' | 'amountB') => {
      if (flow !== null || !isMoved) return flow ?? 0n
      // A hidden fee of the mint. The event tells what the vault got, of the first position.
      if (migration !== null) throw new Refused('missing_event')
      return readCreationEvent(invocation.eventOrRefuse(CREATION_EVENT))[side]
    }
    return createPool(
      invocation,
      { pool, base: { mint: base.mint }, quote: { mint: quote.mint } },
      {
        base: { amount: openingOf(a, 'amountA') },
        quote: { amount: openingOf(b, 'amountB') },
        migration,
        creator: migration === null ? invocation.address(CREATOR) : undefined,
      },
    )
  }
}

import { isSameKey } from '../../bytes/key-table.ts'
import type { Decoder, PoolTrade } from '../../decoder.ts'
import { orRefused, Refused } from '../../refused.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { newPool } from '../creation.ts'
import { createVaultTrade, type VaultTrade, withEventIfNeeded } from '../vault-trade.ts'
import {
  IMMUTABLE_PROGRAM_ID,
  INITIALIZE,
  INITIALIZE_V2,
  INITIALIZE_WITH_ADAPTIVE_FEE,
  INSTRUCTIONS,
  PROGRAM_ID,
  readTradedEvent,
  readTwoHopSwapV2,
  SWAP,
  SWAP_V2,
  TRADED_EVENTS,
  type TradedEvent,
  TWO_HOP_SWAP,
} from './layout.ts'

/**
 * Orca Whirlpool. Amounts are the token transfers in and out of the vaults, with Token-2022 fees as the vaults count
 * them. A two-hop swap is two trades. A pool is created empty; its liquidity comes later.
 */
export const orcaWhirlpool: Decoder = createAnchorDecoder(
  'orca_whirlpool',
  [PROGRAM_ID, IMMUTABLE_PROGRAM_ID],
  INSTRUCTIONS,
  {
    swap: (invocation) => decodeSwap(invocation, SWAP),
    swapV2: (invocation) => decodeSwap(invocation, SWAP_V2),
    twoHopSwap: (invocation) => decodeHops(invocation, TWO_HOP_SWAP),
    twoHopSwapV2(invocation) {
      const hops = readTwoHopSwapV2(invocation.data)
      if (hops === undefined) throw new Refused('truncated')
      return decodeHops(invocation, hops)
    },
    initialize: newPool(INITIALIZE),
    initializeV2: newPool(INITIALIZE_V2),
    initializeWithAdaptiveFee: newPool(INITIALIZE_WITH_ADAPTIVE_FEE),
  },
)

function decodeHops(invocation: Invocation, hops: readonly VaultTrade[]): readonly (PoolTrade | Refused)[] {
  return hops.map((hop) => orRefused(() => decodeSwap(invocation, hop)))
}

function decodeSwap(invocation: Invocation, swap: VaultTrade): PoolTrade {
  return withEventIfNeeded(
    (event: TradedEvent | undefined) => createVaultTrade(invocation, swap, event && toldBy(event)),
    () =>
      invocation
        .events(TRADED_EVENTS)
        .map(({ body }) => readTradedEvent(body))
        .find(({ pool }) => isSameKey(pool, invocation.key(swap.pool))),
  )
}

function toldBy({ aToB, taken, given }: TradedEvent) {
  return { base: { stated: aToB ? taken : -given }, quote: { stated: aToB ? -given : taken } }
}

import type { Launchpad } from '@pairwire/contract/exchanges'
import { isSameKey, keyOf } from '../../bytes/key-table.ts'
import type { Decoder, PoolTrade } from '../../decoder.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createAnchorDecoder } from '../anchor-decoder.ts'
import { createPool } from '../creation.ts'
import { launchpadOf } from '../launchpads.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  CREATE_CONFIG_ACCOUNTS,
  HOOKED_SWAP_EVENT,
  INITIALIZE,
  INITIALIZE_CONFIG,
  INITIALIZE_CREATOR,
  INSTRUCTIONS,
  isCreateConfig,
  OLD_SWAP_EVENT,
  PAYER_OF_2022,
  PAYER_OF_2022_HOOK,
  PAYER_OF_SPL,
  PROGRAM_ID,
  readLaunch,
  readOldSwapEvent,
  readSwapEvent,
  SWAP,
  SWAP_CONFIG,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Meteora's Dynamic Bonding Curve. Amounts are the token transfers in and out of the curve's vaults without a
 * referrer's share, or the event's if the record has no transfers. A migration has no event here: it is the `migration`
 * of the pool that it creates.
 */
export const meteoraDbc: Decoder = createAnchorDecoder('meteora_dbc', [PROGRAM_ID], INSTRUCTIONS, {
  swap: decodeSwap,
  initializeSpl: initialize(PAYER_OF_SPL),
  initialize2022: initialize(PAYER_OF_2022),
  initialize2022Hook: initialize(PAYER_OF_2022_HOOK),
})

function decodeSwap(invocation: Invocation): PoolTrade {
  const event = readEvent(invocation)
  const launchpad = launchpadOf(invocation.key(SWAP_CONFIG))
  if (event === undefined) return createVaultTrade(invocation, SWAP, { base: {}, quote: {}, launchpad })
  const { isBuy, amountIn, amountOut, quoteReserve, threshold } = event
  const filled = quoteReserve !== null && threshold ? { amount: quoteReserve, of: threshold } : null
  return createVaultTrade(invocation, SWAP, {
    base: { stated: isBuy ? -amountOut : amountIn, reserve: null },
    quote: { stated: isBuy ? amountIn : -amountOut, reserve: quoteReserve },
    launchpad,
    // Its price is a square root, without reserves.
    curve: {
      filled,
      isComplete: filled && isBuy && filled.amount >= filled.of,
      virtualBase: null,
      virtualQuote: null,
    },
  })
}

/** Reads this swap's event; `undefined` when the record lacks it. @throws Refused when it is of another curve. */
function readEvent(invocation: Invocation): SwapEvent | undefined {
  const body = invocation.event(SWAP_EVENT) ?? invocation.event(HOOKED_SWAP_EVENT)
  const oldBody = body === undefined ? invocation.event(OLD_SWAP_EVENT) : undefined
  const event = body ? readSwapEvent(body) : oldBody && readOldSwapEvent(oldBody)
  if (event !== undefined) invocation.assertNames(SWAP.pool, event.pool)
  return event
}

function initialize(payer: number): Decoder['decode'] {
  return (invocation) =>
    createPool(invocation, INITIALIZE, {
      base: readLaunch(invocation.data),
      launchpad: launchpadOfCreation(invocation, payer),
    })
}

/** By the signer of the curve, else by its configuration. */
function launchpadOfCreation(invocation: Invocation, payer: number): Launchpad | null {
  return (
    launchpadOf(invocation.key(INITIALIZE_CREATOR)) ??
    launchpadOf(invocation.key(payer)) ??
    launchpadOf(invocation.key(INITIALIZE_CONFIG)) ??
    (isOfJupiterStudio(invocation) ? 'jupiter_studio' : null)
  )
}

/**
 * Jupiter Studio creates a configuration for each token in the same transaction, and adds this account after the
 * program's own.
 *
 * @see https://github.com/DefiLlama/dimension-adapters (Jupiter Studio)
 */
const JUPITER_STUDIO = keyOf('8rE9CtCjwhSmbwL5fbJBtRFsS3ohfMcDFeTTC7t4ciUA')

function isOfJupiterStudio(invocation: Invocation): boolean {
  const { keys, instructions } = invocation.tree.transaction
  const config = invocation.account(INITIALIZE_CONFIG)
  return instructions.some(({ programIndex, accounts, data }) => {
    if (programIndex !== invocation.instruction.programIndex || !isCreateConfig(data)) return false
    const extra = keys[accounts[CREATE_CONFIG_ACCOUNTS.extra] ?? -1]
    return (
      accounts[CREATE_CONFIG_ACCOUNTS.config] === config &&
      extra !== undefined &&
      isSameKey(extra, JUPITER_STUDIO)
    )
  })
}

import type { Launchpad } from '@pairwire/contract/exchanges'
import type { Decoder, PoolCreation, PoolTrade } from '../decoder.ts'
import type { Invocation } from '../invocation.ts'
import { isSameKey, keyOf } from '../key-table.ts'
import { launchpadOf } from '../launchpads.ts'
import { Refused } from '../refused.ts'
import { createVaultTrade } from '../vault-trade.ts'
import {
  CREATE_CONFIG_ACCOUNTS,
  HOOKED_SWAP_EVENT,
  INITIALIZE_ACCOUNTS,
  INSTRUCTIONS,
  isCreateConfig,
  OLD_SWAP_EVENT,
  PROGRAM_ID,
  readLaunch,
  readOldSwapEvent,
  readSwapEvent,
  SWAP_ACCOUNTS,
  SWAP_EVENT,
  type SwapEvent,
} from './layout.ts'

/**
 * Meteora's Dynamic Bonding Curve. Amounts are what the token transfers moved in and out of the curve's vaults, a
 * referrer's share left out; without transfers in the record, the event's. A migration gives no event here: it
 * shows as the `migration` of the pool that it makes.
 */
export const meteoraDbc: Decoder = {
  exchange: 'meteora_dbc',
  programIds: [PROGRAM_ID],
  decode(invocation) {
    const instruction = INSTRUCTIONS.of(invocation.data)
    switch (instruction) {
      case 'swap':
        return decodeSwap(invocation)
      case 'other':
        return undefined
      default:
        return decodeInitialize(invocation, instruction.payer)
    }
  },
}

function decodeSwap(invocation: Invocation): PoolTrade {
  const event = readEvent(invocation)
  const { config, pool, payer, baseVault, quoteVault, baseMint, quoteMint, referral, output } = SWAP_ACCOUNTS
  return createVaultTrade(invocation, {
    pool,
    authority: payer,
    base: {
      vault: baseVault,
      mint: baseMint,
      stated: event === undefined ? null : event.isBuy ? -event.amountOut : event.amountIn,
      reserve: null,
    },
    quote: {
      vault: quoteVault,
      mint: quoteMint,
      stated: event === undefined ? null : event.isBuy ? event.amountIn : -event.amountOut,
      reserve: event?.quoteReserve ?? null,
    },
    referral,
    output,
    launchpad: launchpadOf(invocation.key(config)),
  })
}

/** This swap's event; `undefined` when the record does not have it. @throws Refused when it is of another curve. */
function readEvent(invocation: Invocation): SwapEvent | undefined {
  const pool = invocation.key(SWAP_ACCOUNTS.pool)
  const body = invocation.event(SWAP_EVENT) ?? invocation.event(HOOKED_SWAP_EVENT)
  const oldBody = body === undefined ? invocation.event(OLD_SWAP_EVENT) : undefined
  const event = body ? readSwapEvent(body) : oldBody ? readOldSwapEvent(oldBody) : undefined
  if (event !== undefined && !isSameKey(event.pool, pool)) throw new Refused('missing_event')
  return event
}

function decodeInitialize(invocation: Invocation, payer: number): PoolCreation {
  const { pool, baseMint, quoteMint, baseVault } = INITIALIZE_ACCOUNTS
  const amount = invocation.vaultFlow(invocation.account(baseVault))
  if (amount === null) throw new Refused('missing_event')

  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: { mint: invocation.address(baseMint), amount, decimals: null, ...readLaunch(invocation.data) },
    quote: { mint: invocation.address(quoteMint), amount: 0n, decimals: null },
    migration: null,
    launchpad: launchpadOfCreation(invocation, payer),
  }
}

/** By who signs for the curve, else by its configuration. */
function launchpadOfCreation(invocation: Invocation, payer: number): Launchpad | null {
  return (
    launchpadOf(invocation.key(INITIALIZE_ACCOUNTS.creator)) ??
    launchpadOf(invocation.key(payer)) ??
    launchpadOf(invocation.key(INITIALIZE_ACCOUNTS.config)) ??
    (isOfJupiterStudio(invocation) ? 'jupiter_studio' : null)
  )
}

/**
 * Jupiter Studio makes a configuration for each token in the same transaction, and names this account behind the
 * program's own.
 *
 * @see https://github.com/DefiLlama/dimension-adapters (Jupiter Studio)
 */
const JUPITER_STUDIO = keyOf('8rE9CtCjwhSmbwL5fbJBtRFsS3ohfMcDFeTTC7t4ciUA')

function isOfJupiterStudio(invocation: Invocation): boolean {
  const { keys, instructions } = invocation.tree.transaction
  const config = invocation.account(INITIALIZE_ACCOUNTS.config)
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

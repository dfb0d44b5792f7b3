import type { Exchange } from '@pairwire/contract/exchanges'
import { addressOf } from '../call-tree.ts'
import type { PoolCreation, PoolTrade, TradeSide } from '../decoder.ts'
import { holdsAt } from '../discriminator.ts'
import type { KnownAccounts, LogDecoder } from '../log-decoder.ts'
import {
  PANCAKESWAP,
  POOL_CREATED_EVENT,
  RAYDIUM,
  readPoolAccount,
  readPoolCreatedEvent,
  readSwapEvent,
  SWAP_EVENT,
} from './layout.ts'

export const raydiumClmmLogs = createClmmLogs('raydium_clmm', RAYDIUM)
export const pancakeswapLogs = createClmmLogs('pancakeswap', PANCAKESWAP)

/** Raydium's CLMM at one of its addresses, by its logs. Events name the pool and not its mints, which are looked up. */
function createClmmLogs(exchange: Exchange, programId: string): LogDecoder {
  return {
    exchange,
    programId,
    gives: ['newPair', 'swap'],
    decode(call, at, known) {
      const data = call.events[at]!
      if (holdsAt(data, SWAP_EVENT, 0)) return decodeSwap(data.subarray(8), known)
      return holdsAt(data, POOL_CREATED_EVENT, 0) ? decodeCreate(data.subarray(8), known) : undefined
    },
    readPool(data) {
      const mints = readPoolAccount(data)
      return mints && { base: addressOf(mints.mint0), quote: addressOf(mints.mint1) }
    },
  }
}

function decodeSwap(body: Uint8Array, known: KnownAccounts): PoolTrade {
  const event = readSwapEvent(body)
  const pool = addressOf(event.pool)
  const mints = known.pool(pool)
  const sideOf = (mint: string, amount: bigint): TradeSide => ({
    mint,
    amount,
    decimals: null,
    reserve: null,
    vault: null,
  })
  return {
    kind: 'trade',
    pool,
    wallet: known.wallet(event.sender),
    base: sideOf(mints.base, event.amount0),
    quote: sideOf(mints.quote, event.amount1),
    givesBase: !event.isZeroForOne,
  }
}

function decodeCreate(body: Uint8Array, known: KnownAccounts): PoolCreation {
  const event = readPoolCreatedEvent(body)
  const pool = addressOf(event.pool)
  const mints = { base: addressOf(event.mint0), quote: addressOf(event.mint1) }
  known.learn(pool, mints)
  return {
    kind: 'creation',
    pool,
    base: { mint: mints.base, amount: 0n, decimals: null },
    quote: { mint: mints.quote, amount: 0n, decimals: null },
    migration: null,
  }
}

import type { Exchange } from '@pairwire/contract/exchanges'
import { holdsAt } from '../../bytes/discriminator.ts'
import type { PoolCreation, PoolTrade } from '../../decoder.ts'
import type { KnownAccounts, LogDecoder } from '../../logs/log-decoder.ts'
import { addressOf } from '../../transaction/call-tree.ts'
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

/** Raydium's CLMM at one of its addresses, from its logs. Events lack the pool's mints, which are looked up. */
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
  return {
    kind: 'trade',
    pool,
    wallet: known.wallet(event.sender),
    base: { mint: mints.base, amount: event.amount0 },
    quote: { mint: mints.quote, amount: event.amount1 },
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
    base: { mint: mints.base, amount: 0n },
    quote: { mint: mints.quote, amount: 0n },
  }
}

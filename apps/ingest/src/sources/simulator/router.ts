import { ByteWriter, type Call, key, type Step, writeEventCall } from '@pairwire/chain-writer'
import type { RoutedFill } from './composer.ts'
import type { Random } from './random.ts'

const JUPITER = key('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')
const JUPITER_EVENT_AUTHORITY = key('D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf')
const ROUTE = Uint8Array.of(0xe5, 0x17, 0xcb, 0x97, 0x7a, 0xe3, 0xad, 0x2a)
const SHARED_ACCOUNTS_ROUTE = Uint8Array.of(0xc1, 0x20, 0x9b, 0x33, 0x41, 0xd6, 0x9c, 0x81)
const SWAP_EVENT = Uint8Array.of(0x40, 0xc6, 0xcd, 0xe8, 0x26, 0x08, 0x71, 0xe2)

/** A program that wraps others' swaps, as trading bots do. */
const BOT = key('BotTradeRouter11111111111111111111111111111')

/**
 * Writes Jupiter's call with the pools' calls and its own event after each, which repeats the pool's trade and must not
 * be counted again. `isShared` when an account of Jupiter trades instead of the wallet.
 */
export function writeRoute(wallet: Uint8Array, legs: readonly RoutedFill[], isShared: boolean): Call {
  const steps: Step[] = [isShared ? 'log: Instruction: SharedAccountsRoute' : 'log: Instruction: Route']
  for (const { fill, venue, given, got } of legs) {
    const event = new ByteWriter(120)
      .bytes(SWAP_EVENT)
      .bytes(venue.address)
      .bytes(given.key)
      .u64(fill.amountIn)
      .bytes(got.key)
      .u64(fill.amountOut)
      .finish()
    steps.push(fill.call, writeEventCall(JUPITER, JUPITER_EVENT_AUTHORITY, event))
  }
  return {
    program: JUPITER,
    accounts: [wallet, JUPITER_EVENT_AUTHORITY, JUPITER],
    data: new ByteWriter(40)
      .bytes(isShared ? SHARED_ACCOUNTS_ROUTE : ROUTE)
      .u32(legs.length)
      .u64(legs[0]?.fill.amountIn ?? 0n)
      .u64(legs.at(-1)?.fill.amountOut ?? 0n)
      .u16(50) // slippage in basis points
      .u8(0) // platform fee
      .finish(),
    steps,
  }
}

/** Writes a bot program's call that makes one swap for its user. */
export function writeBotCall(wallet: Uint8Array, swap: Call, random: Random): Call {
  return {
    program: BOT,
    accounts: [wallet],
    data: random.bytes(16),
    steps: ['log: Instruction: Trade', swap],
  }
}

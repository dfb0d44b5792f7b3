import type { Exchange } from '@pairwire/contract/exchanges'
import type { Outcome } from '../decoder.ts'
import type { MintAccount } from '../tokens/layout.ts'

/** What turns the events that one program logs into outcomes, where they tell all that an event of ours has. */
export type LogDecoder = Readonly<{
  exchange: Exchange
  programId: string
  /** What its logs tell whole. */
  gives: readonly ('swap' | 'newPair')[]
  /**
   * What the event number `at` of this call tells; `undefined` when it is neither a trade nor a creation.
   *
   * @throws Refused, TruncatedError, UnknownAccount when it may be one and cannot be told whole.
   */
  decode(call: LoggedCall, at: number, known: KnownAccounts): Outcome | undefined
  /** Both mints of a pool of this program, by its account's data; `undefined` when it is no pool. */
  readPool?(data: Uint8Array): PoolMints | undefined
}>

/** One invocation of a program, with the events that it logged. */
export type LoggedCall = Readonly<{
  /** In order; each begins with its discriminator. */
  events: readonly Uint8Array[]
  /** Whether it ended before the logs did: else it may have logged more. */
  hasEnded: boolean
  /** Whether an invocation of this program made it, directly or not. */
  isWithin(program: string): boolean
}>

/** Base58 of a pool's mints in the program's own order. */
export type PoolMints = Readonly<{ base: string; quote: string }>

/** What is known besides the logs: accounts that never change, as they were looked up or told by earlier events. */
export type KnownAccounts = Readonly<{
  /**
   * The wallet of a swap whose trader the program made sign.
   *
   * @throws Refused when the trader is an account of a program, for which the fee payer stands, whom logs do not name
   */
  wallet(trader: Uint8Array): string
  /** Base58 of the account that a program derives from a key, derived once. */
  derive(from: Uint8Array, derive: (from: Uint8Array) => Uint8Array): string
  /** @throws UnknownAccount */
  pool(address: string): PoolMints
  /** @throws UnknownAccount */
  mint(address: string): MintAccount
  /** Keeps what an event told of a pool or a mint. */
  learn(address: string, fact: PoolMints | MintAccount): void
  /** Takes note of the block's time, which the program has from the same clock as the block. */
  tellTime(unixSeconds: bigint): void
}>

/** An account has to be looked up before an event can be told. */
export class UnknownAccount extends Error {
  readonly address: string

  constructor(address: string) {
    super(address)
    this.name = 'UnknownAccount'
    this.address = address
  }
}

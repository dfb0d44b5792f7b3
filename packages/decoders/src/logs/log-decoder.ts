import type { Exchange } from '@pairwire/contract/exchanges'
import type { Outcome } from '../decoder.ts'
import type { MintAccount } from '../tokens/layout.ts'

/** Turns the logged events of one program into outcomes, if they have everything that our events need. */
export type LogDecoder = Readonly<{
  exchange: Exchange
  programId: string
  /** The events that its logs describe completely. */
  gives: readonly ('swap' | 'newPair')[]
  /**
   * Decodes event number `at` of this call; `undefined` when it is neither a trade nor a creation.
   *
   * @throws Refused, TruncatedError, UnknownAccount when it may be one and cannot be decoded completely.
   */
  decode(call: LoggedCall, at: number, known: KnownAccounts): Outcome | undefined
  /** Reads both mints of a pool of this program from its account's data; `undefined` when it is no pool. */
  readPool?(data: Uint8Array): PoolMints | undefined
}>

/** One invocation of a program, with its logged events. */
export type LoggedCall = Readonly<{
  /** In order; each begins with its discriminator. */
  events: readonly Uint8Array[]
  /** Whether it ended before the logs did: otherwise it may have logged more. */
  hasEnded: boolean
  /** Whether an invocation of this program made it, directly or indirectly. */
  isWithin(program: string): boolean
}>

/** Base58 of a pool's mints in the program's own order. */
export type PoolMints = Readonly<{ base: string; quote: string }>

/** Knowledge besides the logs: immutable accounts, looked up or from earlier events. */
export type KnownAccounts = Readonly<{
  /**
   * Returns the wallet of a swap whose trader had to sign.
   *
   * @throws Refused when the trader is a program account: the wallet is then the fee payer, which logs do not name
   */
  wallet(trader: Uint8Array): string
  /** Returns the base58 of the account that a program derives from a key, derived once. */
  derive(from: Uint8Array, derive: (from: Uint8Array) => Uint8Array): string
  /** @throws UnknownAccount */
  pool(address: string): PoolMints
  /** @throws UnknownAccount */
  mint(address: string): MintAccount
  /** Remembers what an event reports about a pool or a mint. */
  learn(address: string, fact: PoolMints | MintAccount): void
  /** Notes the block's time, which the program reads from the same clock as the block. */
  tellTime(unixSeconds: bigint): void
}>

/** An account has to be looked up before an event can be decoded. */
export class UnknownAccount extends Error {
  readonly address: string

  constructor(address: string) {
    super(address)
    this.name = 'UnknownAccount'
    this.address = address
  }
}

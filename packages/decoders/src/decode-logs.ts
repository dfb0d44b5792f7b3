import { BoundedMap } from '@pairwire/basics/bounded-map'
import { encodeBase58, QUOTES } from '@pairwire/contract'
import { TruncatedError } from './bytes/byte-reader.ts'
import { isOnCurve } from './bytes/program-address.ts'
import type { DecodedEvent, DecodedToken, Refusal } from './decoded.ts'
import type { CreationSide, Outcome, TradeSide } from './decoder.ts'
import {
  type KnownAccounts,
  type LogDecoder,
  type LoggedCall,
  type PoolMints,
  UnknownAccount,
} from './logs/log-decoder.ts'
import { type LoggedInvocation, type ReadLogs, readInvocations } from './logs/log-tree.ts'
import { createNewPair } from './new-pair.ts'
import { orcaWhirlpoolLogs } from './programs/orca-whirlpool/decode-log.ts'
import { pumpfunLogs } from './programs/pumpfun/decode-log.ts'
import { pumpswapLogs } from './programs/pumpswap/decode-log.ts'
import { pancakeswapLogs, raydiumClmmLogs } from './programs/raydium-clmm/decode-log.ts'
import { Refused, reasonOf } from './refused.ts'
import { createSwap } from './swap.ts'
import { type MintAccount, readMintAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './tokens/layout.ts'

/** Every program whose logs contain events. A new one is one line here. */
export const LOG_DECODERS: readonly LogDecoder[] = [
  pumpfunLogs,
  pumpswapLogs,
  raydiumClmmLogs,
  pancakeswapLogs,
  orcaWhirlpoolLogs, //
]

/** The events in the logs of one transaction. */
export type DecodedLogs = Readonly<{
  /** In order of execution. */
  events: readonly DecodedEvent[]
  refusals: readonly Refusal[]
  /** Unix seconds of its block; null if no program logs it. */
  blockTime: number | null
  /** Base58 of accounts to look up first; until then, events and refusals are incomplete. */
  unknownAccounts: readonly string[]
}>

/** Decodes transactions of which only the logs are available, and remembers the accounts that this needs. */
export type LogsDecoder = Readonly<{
  /** `logs` of a successful transaction. Never throws for their contents. */
  decode(logs: readonly string[]): DecodedLogs
  /**
   * Learns an account that was looked up: its owner's address and its data.
   * @returns whether it is of a requested kind: a pool of a known program, or a mint
   */
  learn(address: string, owner: string, data: Uint8Array): boolean
}>

/** Accounts and addresses remembered; some 150 bytes each. The oldest are dropped first. */
const REMEMBERED = 200_000

/** Creates a decoder that knows no account. */
export function createLogsDecoder(): LogsDecoder {
  const pools = new BoundedMap<string, PoolMints>(REMEMBERED)
  const mints = new BoundedMap<string, MintAccount>(REMEMBERED)
  const derived = new Map<(from: Uint8Array) => Uint8Array, BoundedMap<string, string>>()
  /** Base58 of traders, null for those that cannot sign. */
  const wallets = new BoundedMap<string, string | null>(REMEMBERED)

  const known: Omit<KnownAccounts, 'tellTime'> = {
    wallet(trader) {
      const key = textOf(trader)
      let wallet = wallets.get(key)
      if (wallet === undefined) {
        wallet = isOnCurve(trader) ? encodeBase58(trader) : null
        wallets.set(key, wallet)
      }
      if (wallet === null) throw new Refused('unknown_trader')
      return wallet
    },
    derive(from, derive) {
      const addresses = derived.get(derive) ?? new BoundedMap<string, string>(REMEMBERED)
      derived.set(derive, addresses)
      const key = textOf(from)
      let address = addresses.get(key)
      if (address === undefined) {
        address = encodeBase58(derive(from))
        addresses.set(key, address)
      }
      return address
    },
    pool: (address) => pools.get(address) ?? missing(address),
    mint(address) {
      const decimals = QUOTES.get(address)?.decimals
      if (decimals !== undefined) return { decimals, hasTransferFee: false }
      return mints.get(address) ?? missing(address)
    },
    learn(address, fact) {
      if ('decimals' in fact) mints.set(address, fact)
      else pools.set(address, fact)
    },
  }
  const besides = {
    decimalsOf: (side: TradeSide) => side.decimals ?? known.mint(side.mint).decimals,
    // Logs name no balances.
    balanceOf: () => null,
  }

  return {
    decode(logs) {
      const read = readInvocations(logs)
      const { invocations, isTruncated } = read
      const told: { line: number; event: DecodedEvent }[] = []
      const refusals: Refusal[] = []
      const unknown = new Set<string>()
      let blockTime: number | null = null
      const accounts: KnownAccounts = {
        ...known,
        tellTime: (seconds) => {
          blockTime = Number(seconds)
        },
      }
      for (const [number, invocation] of invocations.entries()) {
        const decoder = BY_PROGRAM.get(invocation.program)
        if (decoder === undefined || invocation.data.length === 0) continue
        const call = callOf(number, read)
        for (const [at, line] of invocation.dataLines.entries()) {
          try {
            const outcome = decoder.decode(call, at, accounts)
            if (outcome !== undefined) told.push({ line, event: eventOf(decoder, outcome, besides) })
          } catch (error) {
            if (error instanceof UnknownAccount) unknown.add(error.address)
            else refusals.push({ exchange: decoder.exchange, path: `${number}`, reason: reasonOf(error) })
          }
        }
      }
      if (isTruncated) refusals.push(...truncatedOf(invocations))
      told.sort((left, right) => left.line - right.line)
      return { events: told.map(({ event }) => event), refusals, blockTime, unknownAccounts: [...unknown] }
    },

    learn(address, owner, data) {
      try {
        const isMint = owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM
        const fact = isMint ? readMintAccount(data) : BY_PROGRAM.get(owner)?.readPool?.(data)
        if (fact === undefined) return false
        known.learn(address, fact)
        return true
      } catch (error) {
        if (error instanceof TruncatedError) return false
        throw error
      }
    },
  }
}

const BY_PROGRAM = new Map(LOG_DECODERS.map((decoder) => [decoder.programId, decoder]))

function callOf(number: number, { invocations: all, open }: ReadLogs): LoggedCall {
  const invocation = all[number]!
  return {
    events: invocation.data.map((text) => Buffer.from(text, 'base64')),
    hasEnded: !open.includes(number),
    isWithin(program) {
      for (let at = invocation.parent; at !== -1; at = all[at]!.parent)
        if (all[at]!.program === program) return true
      return false
    },
  }
}

function eventOf(
  { exchange }: LogDecoder,
  outcome: Outcome,
  besides: Parameters<typeof createSwap>[2],
): DecodedEvent {
  return outcome.kind === 'trade'
    ? createSwap(exchange, outcome, besides)
    : createNewPair(exchange, outcome, tokenOf)
}

/** Makes a token of a new pair from the event; a launchpad that reports the supply gives up all authorities. */
function tokenOf({ mint, decimals, supply, name, symbol, uri }: CreationSide): DecodedToken {
  return {
    mint,
    decimals: decimals ?? QUOTES.get(mint)?.decimals ?? null,
    supply: supply ?? null,
    name: name ?? null,
    symbol: symbol ?? null,
    uri: uri ?? null,
    mintAuthority: null,
    freezeAuthority: null,
  }
}

/** Makes refusals for each of our programs that ran before the cut: it may have logged more. */
function truncatedOf(invocations: readonly LoggedInvocation[]): Refusal[] {
  const programs = new Set(invocations.map(({ program }) => program))
  return LOG_DECODERS.filter(({ programId }) => programs.has(programId)).map(({ exchange }) => ({
    exchange,
    path: `${invocations.length}`,
    reason: 'truncated_logs',
  }))
}

function missing(address: string): never {
  throw new UnknownAccount(address)
}

/** Makes a string of a key for look-ups, cheaper than base58. */
function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}

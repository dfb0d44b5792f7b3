import { key, TOKEN_PROGRAM, type TokenMovement } from '@pairwire/chain-writer'
import { decodeBase58, encodeBase58, QUOTES, USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'
import { isOnCurve } from '@pairwire/decoders'
import type { Random } from './random.ts'

/** An account with both forms of its address. */
export type Account = Readonly<{ key: Uint8Array; address: string }>

/** A token, with who holds it. */
export type Token = Account &
  Readonly<{
    decimals: number
    tokenProgram: Uint8Array
    /** By wallet. Wrapped SOL has none: it is wrapped and unwrapped within each transaction. */
    holdings: Map<Account, Holding>
    /** The holdings again, to draw from. */
    holders: Holding[]
  }>

/** One wallet's account of a token, with its raw balance. */
export type Holding = { readonly wallet: Account; readonly account: Uint8Array; amount: bigint }

/** A new account at a random address, ending in `suffix` where one is given. */
export function createAccount(random: Random, suffix = ''): Account {
  for (;;) {
    const bytes = random.bytes(32)
    const address = encodeBase58(bytes)
    if (suffix === '') return { key: bytes, address }

    const wanted = address.slice(0, -suffix.length) + suffix
    const vanity = decodeBase58(wanted)
    if (vanity?.length === 32) return { key: vanity, address: wanted }
  }
}

/** A new token of nobody yet. */
export function createToken(mint: Account, decimals: number, tokenProgram: Uint8Array): Token {
  return { ...mint, decimals, tokenProgram, holdings: new Map(), holders: [] }
}

/** The quote tokens of a market of its own: their mints are the real ones. */
export function createQuotes() {
  const quote = (address: string) =>
    createToken({ key: key(address), address }, QUOTES.get(address)!.decimals, TOKEN_PROGRAM)
  return { sol: quote(WRAPPED_SOL), usdc: quote(USDC), usdt: quote(USDT), usd1: quote(USD1) }
}

/** The quote tokens by name. */
export type Quotes = ReturnType<typeof createQuotes>

/** The wallet's account of the token, opened with nothing in it where it has none. */
export function holdingOf(token: Token, wallet: Account, random: Random): Holding {
  const known = token.holdings.get(wallet)
  if (known) return known

  const holding = { wallet, account: random.bytes(32), amount: 0n }
  token.holdings.set(wallet, holding)
  token.holders.push(holding)
  return holding
}

/** How a token account moves; `before` null at its creation. */
export function movementOf(
  { address: mint, decimals }: Token,
  account: Uint8Array,
  owner: string,
  before: bigint | null,
  after: bigint,
): TokenMovement {
  return { account, mint, owner, decimals, before, after }
}

/** A population in which a few trade all the time and most now and then. */
export function createPopulation(random: Random, size: number): { pick(): Account } {
  const seeds = Array.from({ length: size }, () => random.bytes(32))
  const wallets = new Array<Account | undefined>(size)
  return {
    pick() {
      const at = Math.floor(size * random.unit() ** 3)
      // When it first trades, as a key that can sign is dear to find.
      wallets[at] ??= createWallet(seeds[at]!)
      return wallets[at]
    },
  }
}

/** A wallet: the first key after `seed` that is a point of the curve, with which somebody can sign. */
function createWallet(seed: Uint8Array): Account {
  const key = keyAfter(seed, true)
  return { key, address: encodeBase58(key) }
}

/** An account of a program: the first key after `seed` that is no point of the curve, with which nobody can sign. */
export function programKey(seed: Uint8Array): Uint8Array {
  return keyAfter(seed, false)
}

function keyAfter(seed: Uint8Array, onCurve: boolean): Uint8Array {
  const key = seed.slice()
  while (isOnCurve(key) !== onCurve) key[0]!++
  return key
}

import { key, TOKEN_PROGRAM, type TokenMovement } from '@pairwire/chain-writer'
import { decodeBase58, encodeBase58, QUOTES, USD1, USDC, USDT, WRAPPED_SOL } from '@pairwire/contract'
import { isOnCurve } from '@pairwire/decoders'
import type { Random } from './random.ts'

/** An account with both forms of its address. */
export type Account = Readonly<{ key: Uint8Array; address: string }>

/** A token, with its holders. */
export type Token = Account &
  Readonly<{
    decimals: number
    tokenProgram: Uint8Array
    /** By wallet. Wrapped SOL has none: it is wrapped and unwrapped within each transaction. */
    holdings: Map<Account, Holding>
    /** The same holdings as a list, for random draws. */
    holders: Holding[]
  }>

/** One wallet's account of a token, with its raw balance. */
export type Holding = { readonly wallet: Account; readonly account: Uint8Array; amount: bigint }

/** Creates an account at a random address, ending in `suffix` if given. */
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

/** Creates a token without holders. */
export function createToken(mint: Account, decimals: number, tokenProgram: Uint8Array): Token {
  return { ...mint, decimals, tokenProgram, holdings: new Map(), holders: [] }
}

/** Creates a market's quote tokens, with the real mints. */
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

/** Returns the balance change of a token account; `before` is null at its creation. */
export function movementOf(
  { address: mint, decimals }: Token,
  account: Uint8Array,
  owner: string,
  before: bigint | null,
  after: bigint,
): TokenMovement {
  return { account, mint, owner, decimals, before, after }
}

/** Creates a population in which a few trade all the time and most occasionally. */
export function createPopulation(random: Random, size: number): { pick(): Account } {
  const wallets = Array.from({ length: size }, () => new Wallet(random.bytes(32)))
  return { pick: () => wallets[Math.floor(size * random.unit() ** 3)]! }
}

/** A wallet: the first key after a seed that is a point of the curve, which can sign. It is expensive to find, so it is found when first read. */
class Wallet {
  readonly #seed: Uint8Array
  #key: Uint8Array | undefined
  #address: string | undefined

  constructor(seed: Uint8Array) {
    this.#seed = seed
  }

  get key(): Uint8Array {
    this.#key ??= keyAfter(this.#seed, true)
    return this.#key
  }

  get address(): string {
    this.#address ??= encodeBase58(this.key)
    return this.#address
  }
}

/** Returns a program's account: the first key after `seed` that is no point of the curve, which cannot sign. */
export function programKey(seed: Uint8Array): Uint8Array {
  return keyAfter(seed, false)
}

function keyAfter(seed: Uint8Array, onCurve: boolean): Uint8Array {
  const key = seed.slice()
  while (isOnCurve(key) !== onCurve) key[0]!++
  return key
}

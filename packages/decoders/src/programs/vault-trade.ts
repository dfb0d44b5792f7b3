import type { Launchpad } from '@pairwire/contract/exchanges'
import { compareKeys, keyOf } from '../bytes/key-table.ts'
import type { CurveState } from '../decoded.ts'
import type { Decoder, PoolTrade, TradeSide } from '../decoder.ts'
import { orRefused, Refused } from '../refused.ts'
import { readTokenCalls, TOKEN_TAGS } from '../tokens/layout.ts'
import type { Invocation } from '../transaction/invocation.ts'

/** A program's own report of one side of its trade. */
type ToldSide = Readonly<{
  /**
   * What the vault took in (positive) or gave out (negative), for records without clear transfers; absent or null when
   * the program does not report it, or counts differently from the vault.
   */
  stated?: bigint | null
  /** Raw units in the pool after the trade; absent or null when the program does not report them. */
  reserve?: bigint | null
}>

/** A program's own report of its trade. */
type Told = Readonly<{
  base: ToldSide
  quote: ToldSide
  launchpad?: Launchpad | null
  curve?: CurveState | undefined
}>

/** One side of a {@link VaultTrade}, with what is the same for each trade. */
type VaultSide = ToldSide &
  Readonly<{
    /** Index of the vault among the instruction's accounts. */
    vault: number
    /**
     * Index of the trader's account, if the program pays others from the vault during a trade: then only transfers
     * between the two are the trade.
     */
    trader?: number
    /** Index of its mint; null if the instruction names none, to read it from the vault's balance. */
    mint: number | null
    /** Whether other pools use the same vault, so that its balance is no reserve. */
    isShared?: boolean
  }>

/** A trade by the indexes of its accounts, in the program's own order of base and quote. */
export type VaultTrade = Readonly<{
  pool: number
  /** Index of the trade's authority. */
  authority: number
  base: VaultSide
  quote: VaultSide
  /**
   * Index of the account to which a vault may pay a referrer's share during the trade, which is not part of the
   * exchange. If there is no referrer, it is the program's own account.
   */
  referral?: number
  /** Index of the account to which the vault pays the trader. */
  output?: number
}>

/**
 * Makes a trade as both vaults count it: fees of a Token-2022 mint are included exactly as far as they moved the vault
 * during this instruction, a referrer's share is not.
 *
 * @throws Refused when neither transfers nor event tell, or when both vaults moved the same way: that is no trade.
 */
export function createVaultTrade(invocation: Invocation, trade: VaultTrade, told: Told = trade): PoolTrade {
  const { launchpad = null, curve } = told
  const base = flowOf(invocation, trade.base, told.base, trade)
  const quote = flowOf(invocation, trade.quote, told.quote, trade)
  if (base > 0n === quote > 0n && base !== 0n && quote !== 0n) throw new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(trade.pool),
    wallet: invocation.wallet(trade.authority),
    base: createSide(invocation, trade.base, told.base, base),
    quote: createSide(invocation, trade.quote, told.quote, quote),
    givesBase: base < 0n,
    launchpad,
    curve,
  }
}

/**
 * Makes a trade by its vaults alone, or with its event if these do not tell: two trades of one pool in a transaction, of
 * a mint with a hidden fee. That is rare, and finding the event costs more than all the rest.
 *
 * @throws Refused when neither tells
 */
export function withEventIfNeeded<Event>(
  make: (event?: Event) => PoolTrade,
  readEvent: () => Event | undefined,
): PoolTrade {
  const trade = orRefused(() => make())
  if (!(trade instanceof Refused)) return trade
  const event = trade.reason === 'missing_event' ? readEvent() : undefined
  if (event === undefined) throw trade
  return make(event)
}

/** Decodes an instruction whose transfers describe its trade completely. */
export function vaultTrade(trade: VaultTrade): Decoder['decode'] {
  return (invocation) => createVaultTrade(invocation, trade)
}

/** A trade by the indexes of its accounts, for a program that orders them by input and output. */
export type DirectedTrade = Readonly<{
  pool: number
  authority: number
  incoming: VaultSide
  outgoing: VaultSide
}>

/**
 * Makes a {@link createVaultTrade} of such a program. The order of the mints' keys replaces the pool's own; the first
 * is its base.
 */
export function createDirectedTrade(
  invocation: Invocation,
  { pool, authority, incoming, outgoing }: DirectedTrade,
  told: Readonly<{ incoming: ToldSide; outgoing: ToldSide }> = { incoming, outgoing },
): PoolTrade {
  return compareKeys(mintKey(invocation, incoming), mintKey(invocation, outgoing)) < 0
    ? createVaultTrade(
        invocation,
        { pool, authority, base: incoming, quote: outgoing },
        { base: told.incoming, quote: told.outgoing },
      )
    : createVaultTrade(
        invocation,
        { pool, authority, base: outgoing, quote: incoming },
        { base: told.outgoing, quote: told.incoming },
      )
}

function mintKey(invocation: Invocation, { vault, mint }: VaultSide): Uint8Array {
  return mint === null ? keyOf(readVaultMint(invocation, invocation.account(vault))) : invocation.key(mint)
}

function flowOf(
  invocation: Invocation,
  { vault, trader }: VaultSide,
  { stated = null }: ToldSide,
  { referral, output }: VaultTrade,
): bigint {
  const account = invocation.account(vault)
  const flow = invocation.vaultFlow(account)
  if (flow === null) {
    if (stated === null) throw new Refused('missing_event')
    return stated
  }
  if (trader !== undefined && !invocation.vaultFlowAndFee(account).hasFee) {
    const other = invocation.account(trader)
    return invocation.payment(other, account) - invocation.payment(account, other)
  }
  if (referral === undefined) return flow
  const referrer = invocation.account(referral)
  const shares = invocation.payments(account, referrer)
  const share = shares.reduce((sum, payment) => sum + payment, 0n)
  // A trader who is their own referrer is paid twice into one account: the price and then the smaller share.
  const isOwnReferrer = output !== undefined && referrer === invocation.account(output)
  return isOwnReferrer ? flow + share - largest(shares) : flow + share
}

function largest(payments: readonly bigint[]): bigint {
  return payments.reduce((most, payment) => (payment > most ? payment : most), 0n)
}

function createSide(
  invocation: Invocation,
  { vault, mint, isShared = false }: VaultSide,
  { reserve = null }: ToldSide,
  flow: bigint,
): TradeSide {
  const account = invocation.account(vault)
  return {
    mint: mint === null ? readVaultMint(invocation, account) : invocation.address(mint),
    amount: flow < 0n ? -flow : flow,
    decimals: null,
    // A negative one would be a misread event: the vault's balance replaces it.
    reserve: reserve !== null && reserve < 0n ? null : reserve,
    vault: isShared ? null : account,
  }
}

/**
 * Reads the mint of the token account with this key index: from its balance, or else from a checked transfer.
 *
 * @throws Refused when the record has neither.
 */
function readVaultMint(invocation: Invocation, account: number): string {
  const { tree } = invocation
  const balance = tree.balance(account)
  if (balance !== undefined) return balance.mint
  for (let at = invocation.at + 1; at < invocation.end; at++) {
    if (tree.roleAt(at)?.kind !== 'token') continue
    for (const { accounts, data } of readTokenCalls(tree.transaction.instructions[at]!)) {
      const isChecked = data[0] === TOKEN_TAGS.transferChecked || data[0] === TOKEN_TAGS.transferFeeExtension
      if (!isChecked || (accounts[0] !== account && accounts[2] !== account)) continue
      if (tree.transaction.keys[accounts[1]!]?.length === 32) return tree.address(accounts[1]!)
    }
  }
  throw new Refused('missing_balance')
}

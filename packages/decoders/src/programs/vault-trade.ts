import type { Launchpad } from '@pairwire/contract/exchanges'
import { compareKeys, keyOf } from '../bytes/key-table.ts'
import type { Decoder, PoolTrade, TradeSide } from '../decoder.ts'
import { Refused } from '../refused.ts'
import { readTokenCalls, TOKEN_TAGS } from '../tokens/layout.ts'
import type { Invocation } from '../transaction/invocation.ts'

/** What a program says of one side of its trade. */
type ToldSide = Readonly<{
  /**
   * What the vault took in (above zero) or gave out (below), for records whose transfers do not tell; absent or null
   * when the program does not say, or counts what the vault does not.
   */
  stated?: bigint | null
  /** Raw units in the pool after the trade; absent or null when the program does not say. */
  reserve?: bigint | null
}>

/** What a program says of its trade besides the transfers. */
type Told = Readonly<{ base: ToldSide; quote: ToldSide; launchpad?: Launchpad | null }>

/** One side of a {@link VaultTrade}, with what is said of each trade alike. */
type VaultSide = ToldSide &
  Readonly<{
    /** Place of the vault among the instruction's accounts. */
    vault: number
    /**
     * Place of the trader's account, where the program pays others out of the vault during a trade: then only what went
     * between the two is the trade.
     */
    trader?: number
    /** Place of its mint; null where the instruction names none, to read it from the vault's balance. */
    mint: number | null
    /** Whether other pools keep their tokens in the vault too, so that its balance is no reserve. */
    isShared?: boolean
  }>

/** A trade by the places of its accounts, in the program's own order of base and quote. */
export type VaultTrade = Readonly<{
  pool: number
  /** Place of who allows the trade. */
  authority: number
  base: VaultSide
  quote: VaultSide
  /**
   * Place of the account to which a vault may pay a referrer's share during the trade: no part of what the trader
   * and the pool exchange. Where the instruction has none, the program's own account stands there.
   */
  referral?: number
  /** Place of the account to which the vault pays the trader. */
  output?: number
  launchpad?: Launchpad | null
}>

/**
 * A trade as both vaults count it: fees of a Token-2022 mint are in it exactly as far as they moved the vault
 * during this instruction, a referrer's share is not.
 *
 * @throws Refused when neither transfers nor event tell, or when both vaults moved the same way: that is no trade.
 */
export function createVaultTrade(invocation: Invocation, trade: VaultTrade, told: Told = trade): PoolTrade {
  const { launchpad = null } = told
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
  }
}

/** Decodes an instruction whose transfers tell all of its trade. */
export function vaultTrade(trade: VaultTrade): Decoder['decode'] {
  return (invocation) => createVaultTrade(invocation, trade)
}

/** A trade by the places of its accounts, of a program that orders them by what comes in and what goes out. */
export type DirectedTrade = Readonly<{
  pool: number
  authority: number
  incoming: VaultSide
  outgoing: VaultSide
}>

/**
 * A {@link createVaultTrade} of such a program. The order of the mints' keys stands in for the pool's own; the first is
 * its base.
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
    // Below zero it would be a misread event: the vault's balance stands in for it.
    reserve: reserve !== null && reserve < 0n ? null : reserve,
    vault: isShared ? null : account,
  }
}

/**
 * The mint of the token account with this key index: its balance's, or else the one that a checked transfer names.
 *
 * @throws Refused when the record tells neither.
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

import type { Launchpad } from '@pairwire/contract/exchanges'
import type { PoolTrade, TradeSide } from './decoder.ts'
import type { Invocation } from './invocation.ts'
import { Refused } from './refused.ts'
import { readTokenCalls, TOKEN_TAGS } from './spl-token/layout.ts'

/** One side of a {@link VaultTrade}. */
export type VaultSide = Readonly<{
  /** Place of the vault among the instruction's accounts. */
  vault: number
  /**
   * Place of the trader's account, where the program pays others out of the vault during a trade: then only what went
   * between the two is the trade.
   */
  trader?: number
  /** Place of its mint; null where the instruction names none, to read it from the vault's balance. */
  mint: number | null
  /**
   * What the program's event says that the vault took in (above zero) or gave out (below), for records whose
   * transfers do not tell; null when there is none, or it counts what the vault does not.
   */
  stated: bigint | null
  /** Raw units in the pool after the trade; null when the program does not say. */
  reserve: bigint | null
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
export function createVaultTrade(invocation: Invocation, trade: VaultTrade): PoolTrade {
  const { launchpad = null } = trade
  const base = flowOf(invocation, trade.base, trade)
  const quote = flowOf(invocation, trade.quote, trade)
  if (base > 0n === quote > 0n && base !== 0n && quote !== 0n) throw new Refused('missing_event')
  return {
    kind: 'trade',
    pool: invocation.address(trade.pool),
    wallet: invocation.wallet(trade.authority),
    base: createSide(invocation, trade.base, base),
    quote: createSide(invocation, trade.quote, quote),
    givesBase: base < 0n,
    launchpad,
  }
}

function flowOf(
  invocation: Invocation,
  { vault, trader, stated }: VaultSide,
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
  { vault, mint, reserve, isShared = false }: VaultSide,
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
export function readVaultMint(invocation: Invocation, account: number): string {
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

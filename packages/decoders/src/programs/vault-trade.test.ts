import { type Call, type TransactionDraft, writeTransferChecked } from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { REGISTRY } from '../registry.ts'
import { address, aKey, aMovement, aTransaction, aTransfer, routed, TRADER } from '../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../tokens/layout.ts'
import { CallTree } from '../transaction/call-tree.ts'
import { Invocation } from '../transaction/invocation.ts'
import { createVaultTrade, type VaultTrade } from './vault-trade.ts'

const [POOL, BASE_VAULT, QUOTE_VAULT, BASE, QUOTE, USER] = [1, 2, 3, 4, 5, 6].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

const TRADE: VaultTrade = {
  pool: 0,
  authority: 1,
  base: { vault: 2, mint: 4, stated: null, reserve: null },
  quote: { vault: 3, mint: 5, stated: null, reserve: 7n },
}

/** The trade of a call to an unknown pool that makes `steps`. */
function tradeOf(steps: Call[], change: Partial<VaultTrade> = {}, draft: Partial<TransactionDraft> = {}) {
  const accounts = [POOL, TRADER, BASE_VAULT, QUOTE_VAULT, BASE, QUOTE]
  const call: Call = { program: aKey(9), accounts, data: new Uint8Array(8), steps }
  const tree = new CallTree(aTransaction({ calls: [call], ...draft }), REGISTRY)
  return createVaultTrade(new Invocation(tree, 0), { ...TRADE, ...change })
}

const SELL = [aTransfer(USER, BASE_VAULT, 500n), routed(aTransfer(QUOTE_VAULT, USER, 20n))]

describe('createVaultTrade', () => {
  it('takes amounts and direction from the transfers of both vaults, however deeply nested', () => {
    expect(tradeOf(SELL)).toMatchObject({
      pool: encodeBase58(POOL),
      wallet: encodeBase58(TRADER),
      base: { mint: encodeBase58(BASE), amount: 500n, reserve: null },
      quote: { mint: encodeBase58(QUOTE), amount: 20n, reserve: 7n },
      givesBase: false,
      launchpad: null,
    })
  })

  it('prefers the vault to the event if they differ', () => {
    const base = { ...TRADE.base, stated: 499n }

    expect(tradeOf(SELL, { base }).base.amount).toBe(500n)
  })

  it('counts a Token-2022 fee as the vault does', () => {
    const steps = [aTransfer(USER, BASE_VAULT, 500n, true), aTransfer(QUOTE_VAULT, USER, 20n)]
    const movements = [aMovement(BASE_VAULT, encodeBase58(BASE), 0n, 475n)]

    expect(tradeOf(steps, {}, { movements }).base.amount).toBe(475n)
  })

  it('falls back on the event if the record has no transfers', () => {
    const base = { ...TRADE.base, stated: -3n }
    const quote = { ...TRADE.quote, stated: 4n }

    expect(tradeOf([], { base, quote })).toMatchObject({
      base: { amount: 3n },
      quote: { amount: 4n },
      givesBase: true,
    })
  })

  it('refuses a trade with neither transfers nor event', () => {
    expect(() => tradeOf([])).toThrow('missing_event')
  })

  it('refuses two vaults that moved the same way: a deposit is no trade', () => {
    const deposit = [aTransfer(USER, BASE_VAULT, 5n), aTransfer(USER, QUOTE_VAULT, 5n)]

    expect(() => tradeOf(deposit)).toThrow('missing_event')
  })

  it("reads a mint that the instruction does not name from the vault's balance", () => {
    const movements = [aMovement(BASE_VAULT, encodeBase58(BASE), 0n, 500n)]

    expect(tradeOf(SELL, { base: { ...TRADE.base, mint: null } }, { movements }).base.mint).toBe(
      encodeBase58(BASE),
    )
  })

  it('or from a checked transfer, and refuses without either', () => {
    const base = { ...TRADE.base, mint: null }
    const checked = writeTransferChecked({
      tokenProgram: address(TOKEN_PROGRAM),
      mint: BASE,
      decimals: 6,
      from: USER,
      to: BASE_VAULT,
      authority: TRADER,
      amount: 500n,
    })

    expect(tradeOf([checked, SELL[1]!], { base }).base.mint).toBe(encodeBase58(BASE))
    expect(() =>
      tradeOf([], { base: { ...base, stated: 1n }, quote: { ...TRADE.quote, stated: -1n } }),
    ).toThrow('missing_balance')
  })

  it('treats a negative reserve as missing', () => {
    expect(tradeOf(SELL, { quote: { ...TRADE.quote, reserve: -1n } }).quote.reserve).toBeNull()
  })
})

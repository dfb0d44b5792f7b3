import type { Decoder, PoolTrade } from '../../decoder.ts'
import { Refused } from '../../refused.ts'
import { readTokenCalls, readTokenMove } from '../../tokens/layout.ts'
import type { Invocation } from '../../transaction/invocation.ts'
import { createDirectedTrade, createVaultTrade } from '../vault-trade.ts'
import { type SwapForm, VENUES, type Venue } from './layout.ts'

/**
 * Proprietary AMMs, and Manifest, by a table. A swap is exactly one payment from a trader's account to its vault and
 * one from the other vault to the trader's other account: a wrong index gives nothing, never an amount. They have no
 * new pairs. Other calls that move tokens are counted as unknown; most calls only set quotes. In a record without inner
 * calls a swap is refused.
 */
export const propAmms: readonly Decoder[] = VENUES.map((venue) => ({
  exchange: venue.exchange,
  programIds: [venue.program],
  discriminatorBytes: venue.discriminatorBytes ?? 1,
  decode(invocation) {
    const { data, accountCount } = invocation
    if (data.length === 0) throw new Refused('truncated')
    const name = venue.nameOf?.(data) ?? data
    const form = venue.swaps.find((each) => accountCount >= each.accounts && each.isNamed(name, data.length))
    if (form && isOneForOne(invocation, form, venue)) return createTrade(invocation, form, venue)
    if (form && invocation.tree.logs.lackCalls) throw new Refused('missing_event')
    return venue.others?.includes(data[0]!) || !movesOwnTokens(invocation) ? undefined : 'unknown'
  },
}))

/** Whether one side was paid in once and the other out once, and nothing else moved between trader and vaults. */
function isOneForOne(invocation: Invocation, { users, vaults }: SwapForm, { isShared }: Venue): boolean {
  const count = (source: number, destination: number) =>
    invocation
      .payments(invocation.account(source), invocation.account(destination))
      .filter((amount) => amount > 0n).length
  const [inFirst, inSecond] = [count(users[0], vaults[0]), count(users[1], vaults[1])]
  const [outFirst, outSecond] = [count(vaults[0], users[0]), count(vaults[1], users[1])]
  if (inFirst === 1 && inSecond === 0) return outFirst === 0 && outSecond === 1
  return inFirst === 0 && inSecond === 1 && outFirst === 1 && outSecond === 0 && !isShared
}

function createTrade(
  invocation: Invocation,
  { pool, authority, users, vaults }: SwapForm,
  { isShared = false }: Venue,
): PoolTrade {
  const sideOf = (at: 0 | 1) => ({ vault: vaults[at], trader: users[at], mint: null, isShared })
  const [first, second] = [sideOf(0), sideOf(1)]
  return isShared
    ? createDirectedTrade(invocation, { pool, authority, incoming: first, outgoing: second })
    : createVaultTrade(invocation, { pool, authority, base: first, quote: second })
}

/** Whether it moved tokens between its own accounts. */
function movesOwnTokens({ tree, at, end, instruction }: Invocation): boolean {
  for (let call = at + 1; call < end; call++) {
    if (tree.roleAt(call)?.kind !== 'token') continue
    for (const { accounts, data } of readTokenCalls(tree.transaction.instructions[call]!)) {
      const { source = -1, destination = -1, amount = 0n } = readTokenMove(data) ?? {}
      const own = [source, destination].filter((place) => instruction.accounts.includes(accounts[place]!))
      if (amount > 0n && own.length === 2) return true
    }
  }
  return false
}

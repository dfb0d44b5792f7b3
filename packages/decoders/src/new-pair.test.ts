import { type Call, writeInitializeMint, writeMintTo } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createNewPair, readToken } from './new-pair.ts'
import { REGISTRY } from './registry.ts'
import { address, aKey, aMovement, aTransaction } from './testing/transactions.ts'
import { TOKEN_PROGRAM } from './tokens/layout.ts'
import { TokenChanges } from './tokens/token-changes.ts'
import { CallTree } from './transaction/call-tree.ts'

const MINT = aKey(1)
const TOKEN = address(TOKEN_PROGRAM)
const made = writeInitializeMint(TOKEN, MINT, 6, aKey(2))
const minted = writeMintTo(TOKEN, MINT, aKey(4), aKey(2), 5n)

/** The pair of a pool created in a transaction with these calls. */
function pairOf(calls: Call[], quote = WRAPPED_SOL, mint = encodeBase58(MINT)) {
  const movements = [aMovement(aKey(4), mint, 1n, 2n, 4)]
  const tree = new CallTree(aTransaction({ calls, movements }), REGISTRY)
  const changes = changesOf(tree)
  const creation = {
    kind: 'creation',
    pool: encodeBase58(aKey(9)),
    base: { mint, amount: 1n, decimals: null },
    quote: { mint: quote, amount: 1n, decimals: null },
    migration: null,
  } as const
  return createNewPair('raydium', creation, (side) => readToken(tree, changes, side))
}

function changesOf(tree: CallTree): TokenChanges {
  const changes = new TokenChanges(tree.transaction.keys)
  for (const instruction of tree.transaction.instructions)
    changes.apply(instruction, { kind: 'token', is2022: false })
  return changes
}

describe('createNewPair', () => {
  it('knows supply and authorities of a token created in the same transaction', () => {
    expect(pairOf([made, minted]).baseToken).toMatchObject({
      supply: 5n,
      mintAuthority: encodeBase58(aKey(2)),
      freezeAuthority: null,
    })
  })

  it('knows no supply of an older token, or when the record lost bytes', () => {
    const unknown = { decimals: 4, supply: null, mintAuthority: null }

    expect(pairOf([minted]).baseToken).toMatchObject(unknown)
    expect(pairOf([made, { ...minted, data: new Uint8Array(0) }]).baseToken).toMatchObject(unknown)
  })

  it('knows the decimals of the well-known quotes without a record, and never their supply', () => {
    const issued = writeMintTo(TOKEN, address(USDC), aKey(4), aKey(2), 1n)

    expect(pairOf([]).quoteToken).toMatchObject({ decimals: 9, supply: null })
    expect(pairOf([issued], USDC).quoteToken).toMatchObject({ decimals: 6, supply: null })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aChange, addressOf, aKey, aMadeToken, aPairToken, at } from '../testing/a-token.ts'
import { silentLog } from '../testing/silent-log.ts'
import { createTokenMemory, type TokenMemory } from './token-memory.ts'

describe('a draft of the memory of tokens', () => {
  it('tells what the memory would if it went along, and leaves it as it is', () => {
    const number = fc.integer({ min: 1, max: 3 })
    const fields = {
      account: fc.oneof(number, number.map(metadataOf)),
      metadata: fc.option(number.map(metadataOf)),
      supply: fc.bigInt(-60n, 60n),
      name: fc.option(fc.constantFrom('Nut', 'Oak')),
    }
    const change = fc.record({
      ...fields,
      isMade: fc.boolean(),
      isUnsure: fc.constantFrom(false, false, true),
    })
    const pair = fc.record({ mint: number, supply: fc.option(fc.bigInt(1n, 50n)), name: fields.name })
    const steps = fc.array(fc.oneof(change, pair), { maxLength: 12 })
    fc.assert(
      fc.property(steps, steps, (before, behind) => {
        const memory = createTokenMemory(silentLog)
        takeIn(memory, before, 1)
        const known = [1, 2, 3].map((mint) => memory.find(addressOf(mint)))
        const draft = memory.draft()

        const drafted = takeIn(draft, behind, 2)
        expect([1, 2, 3].map((mint) => memory.find(addressOf(mint)))).toEqual(known)
        expect(draft.isCurrent()).toBe(true)

        expect(takeIn(memory, behind, 2)).toEqual(drafted)
      }),
      { numRuns: 300 },
    )
  })

  it('finds a token by its metadata no more where that was, once it moved, as the memory does', () => {
    const memory = createTokenMemory(silentLog)
    const moved = [
      aMadeToken({ metadataAccount: aKey(11) }),
      aChange({ metadataAccount: aKey(12) }),
      aChange({ account: aKey(11), metadata: { name: 'Oak' } }),
    ]
    const named = (tokens: Pick<TokenMemory, 'apply' | 'complete'>) => {
      for (const [index, change] of moved.entries()) tokens.apply([change], at(1, index))
      return tokens.complete(aPairToken(), at(1, moved.length))
    }

    const drafted = named(memory.draft())

    expect(drafted.name).toBe('Nut')
    expect(named(memory)).toEqual(drafted)
  })

  it('is not what the memory would tell once more is known of one of its tokens, and only of one of those', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken(), aMadeToken({ account: aKey(2), metadataAccount: null })], at(1))
    const draft = memory.draft()
    draft.complete(aPairToken(), at(2))

    memory.describe(addressOf(2), 'ipfs://nut', { logo: 'https://nut.example', socials: null })
    expect(draft.isCurrent()).toBe(true)
    memory.describe(addressOf(1), 'ipfs://nut', { logo: 'https://nut.example', socials: null })
    expect(draft.isCurrent()).toBe(false)
  })
})

type Step = Readonly<
  | {
      account: number
      metadata: number | null
      supply: bigint
      name: string | null
      isMade: boolean
      isUnsure: boolean
    }
  | { mint: number; supply: bigint | null; name: string | null }
>

/** The account of a mint's metadata, where that has one. */
const metadataOf = (mint: number) => mint + 10

/** Has all of this happen in a slot. @returns what it tells of the tokens of pairs */
function takeIn(memory: Pick<TokenMemory, 'apply' | 'complete'>, steps: readonly Step[], slot: number) {
  return steps.map((step, transactionIndex) => {
    const point = at(slot, transactionIndex)
    if ('mint' in step) {
      const { mint, supply, name } = step
      return memory.complete(aPairToken({ mint: addressOf(mint), supply, name }), point, 'pumpfun')
    }
    const { account, metadata, supply, name, isMade, isUnsure } = step
    const make = isMade ? aMadeToken : aChange
    const told = { supply, isUnsure, metadata: name === null ? {} : { name } }
    memory.apply(
      [make({ ...told, account: aKey(account), metadataAccount: metadata === null ? null : aKey(metadata) })],
      point,
    )
    return undefined
  })
}

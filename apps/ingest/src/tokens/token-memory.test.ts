import { createHash } from 'node:crypto'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aChange, addressOf, aKey, aMadeToken, aPairToken, at } from '../testing/a-token.ts'
import { silentLog } from '../testing/silent-log.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { comparePoints } from './known-token.ts'
import {
  createTokenMemory,
  openTokenMemory,
  type TokenMemory,
  type TokenMemoryOptions,
} from './token-memory.ts'

async function open(folder: string, options: Partial<TokenMemoryOptions> = {}): Promise<TokenMemory> {
  const memory = await openTokenMemory({ folder, source: 'chain', log: silentLog, ...options })
  onTestFinished(() => memory.close())
  return memory
}

async function reopened(memory: TokenMemory, folder: string, options: Partial<TokenMemoryOptions> = {}) {
  await memory.close()
  return open(folder, options)
}

describe('the memory of tokens', () => {
  it("knows the details in a token's creation", () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken({ metadata: {}, metadataAccount: null, supply: 0n })], at(7, 3))
    memory.apply([aChange({ supply: 1_000n })], at(7, 4))
    memory.apply([aChange({ metadata: { name: 'Nut', symbol: 'NUT' }, metadataAccount: aKey(5) })], at(9))

    expect(memory.find(addressOf(1))).toEqual({
      mint: addressOf(1),
      decimals: 6,
      supply: 1_000n,
      name: 'Nut',
      symbol: 'NUT',
      uri: null,
      mintAuthority: addressOf(2),
      freezeAuthority: null,
      metadataAccount: addressOf(5),
      firstSlot: 7,
      firstSeen: null,
      launchpad: null,
      description: null,
      asOf: at(9),
    })
    expect(memory.find(addressOf(3))).toBeUndefined()
    expect(memory.find(addressOf(5))).toBeUndefined()
  })

  it('follows supply, authorities and name', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken()], at(1))
    memory.apply([aChange({ supply: -300n, mintAuthority: null, freezeAuthority: aKey(8) })], at(2))
    memory.apply([aChange({ metadata: { uri: 'ipfs://oak' } })], at(3))
    memory.apply([aChange({ account: aKey(5), metadata: { name: 'Oak', symbol: 'OAK', uri: 'x' } })], at(4))

    expect(memory.find(addressOf(1))).toMatchObject({
      supply: 700n,
      mintAuthority: null,
      freezeAuthority: addressOf(8),
      name: 'Oak',
      symbol: 'OAK',
      uri: 'x',
    })
  })

  it('knows nothing of a token whose creation it has not seen', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aChange({ supply: 5n }), aChange({ account: aKey(5), metadata: { name: 'Oak' } })], at(1))

    expect(memory.find(addressOf(1))).toBeUndefined()
    expect(memory.complete(aPairToken(), at(1))).toEqual(aPairToken())
    expect(memory.size().tokens).toBe(0)
  })

  // Guards the supply: after a restart a source reads its last blocks again.
  it('ignores what it has already taken in', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken()], at(5, 1))
    memory.apply([aChange({ supply: 10n })], at(5, 2))

    memory.apply([aMadeToken({ supply: 1n })], at(5, 1))
    memory.apply([aChange({ supply: 10n })], at(5, 2))
    expect(memory.find(addressOf(1))).toMatchObject({ supply: 1_010n })

    memory.apply([aChange({ supply: 10n })], at(5, 3))
    memory.apply([aChange({ supply: 10n })], at(1, 0, 2))
    expect(memory.find(addressOf(1))).toMatchObject({ supply: 1_030n })
  })

  it('starts over with a mint that is created again', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken()], at(1))

    memory.apply([aMadeToken({ decimals: 9, supply: 3n, metadata: {}, metadataAccount: null })], at(2))
    memory.apply([aChange({ account: aKey(5), metadata: { name: 'of the first' } })], at(3))

    expect(memory.find(addressOf(1))).toMatchObject({ decimals: 9, supply: 3n, name: null, firstSlot: 2 })
  })

  it('forgets a token once it cannot be sure of its supply', async () => {
    for (const change of [{ isUnsure: true }, { supply: -1_001n }]) {
      const folder = aFolder({})
      const memory = await open(folder)
      memory.apply([aMadeToken()], at(1))

      memory.apply([aChange(change)], at(2))

      expect(memory.find(addressOf(1))).toBeUndefined()
      expect(memory.size().tokens).toBe(0)
      expect((await reopened(memory, folder)).find(addressOf(1))).toBeUndefined()
    }
  })

  it('keeps no single unit with no more to come', () => {
    const memory = createTokenMemory(silentLog)
    const unit = { decimals: 0, supply: 1n, mintAuthority: null }
    memory.apply([aMadeToken(unit), aMadeToken({ ...unit, account: aKey(3), mintAuthority: aKey(2) })], at(1))

    expect(memory.find(addressOf(1))).toBeUndefined()
    expect(memory.find(addressOf(3))).toBeDefined()
  })

  it("limits strangers' texts", () => {
    const memory = createTokenMemory(silentLog)
    const metadata = { name: 'n'.repeat(1_000), symbol: 's'.repeat(1_000), uri: 'u'.repeat(1_000) }
    memory.apply([aMadeToken({ metadata })], at(1))

    const token = memory.find(addressOf(1))
    expect([token?.name?.length, token?.symbol?.length, token?.uri]).toEqual([256, 256, null])
  })

  // Guards the stream: a text that no record can hold would stop it at this block for ever.
  it('limits the texts of a pair, however long strangers make them', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken({ metadata: {} })], at(1))
    const texts = { name: '\u0001'.repeat(9_000), symbol: '\u0001'.repeat(9_000), uri: 'u'.repeat(9_000) }

    memory.complete(aPairToken(texts), at(1))

    const token = memory.find(addressOf(1))
    expect([token?.name?.length, token?.symbol?.length, token?.uri]).toEqual([256, 256, null])
  })

  // Authorities are given up, and the metadata replaced, at the end of many a launch.
  it("follows a mint and its metadata's account that one transaction changes", () => {
    const metadata = { name: 'Oak', symbol: 'OAK', uri: 'x' }
    const given = aChange({ mintAuthority: null })
    const renamed = aChange({ account: aKey(5), metadata })
    for (const changes of [
      [given, renamed],
      [renamed, given],
    ]) {
      const memory = createTokenMemory(silentLog)
      memory.apply([aMadeToken()], at(1))

      memory.apply(changes, at(2))
      memory.apply(changes, at(2))

      expect(memory.find(addressOf(1))).toMatchObject({ mintAuthority: null, ...metadata })
    }
  })

  it('completes the token of a pair, and learns from a pair what only that has', () => {
    const memory = createTokenMemory(silentLog)
    memory.apply([aMadeToken({ metadata: {} })], at(1))

    expect(memory.complete(aPairToken({ name: 'Nut' }), at(2))).toMatchObject({
      supply: 1_000n,
      name: 'Nut',
      mintAuthority: addressOf(2),
    })
    expect(memory.complete(aPairToken(), at(3))).toMatchObject({ name: 'Nut' })
  })

  it('remembers a token that a launchpad describes completely, without the creating calls', () => {
    const memory = createTokenMemory(silentLog)
    memory.complete(aPairToken({ supply: 10n, name: 'Nut', symbol: 'NUT' }), at(4))

    expect(memory.find(addressOf(1))).toMatchObject({ supply: 10n, name: 'Nut', firstSlot: 4 })
    memory.apply([aChange({ supply: -1n })], at(5))
    expect(memory.complete(aPairToken(), at(6))).toMatchObject({ supply: 9n, symbol: 'NUT' })
  })

  it("returns only the pair's details for well-known quotes", () => {
    const memory = createTokenMemory(silentLog)
    for (const mint of [WRAPPED_SOL, USDC]) {
      const token = aPairToken({ mint, supply: 5n })

      expect(memory.complete(token, at(1))).toBe(token)
    }
    expect(memory.size().tokens).toBe(0)
  })
})

describe('the memory of tokens on disk', () => {
  it('knows after a restart what it knew before', async () => {
    const folder = aFolder({})
    let memory = await open(folder)
    memory.apply([aMadeToken()], at(1))
    memory.apply([aChange({ supply: 5n })], at(2))
    const known = memory.find(addressOf(1))

    memory = await reopened(memory, folder)

    expect(memory.find(addressOf(1))).toEqual(known)
    memory.apply([aChange({ account: aKey(5), metadata: { name: 'Oak' } })], at(3))
    expect(memory.find(addressOf(1))).toMatchObject({ supply: 1_005n, name: 'Oak' })
  })

  // Guards names across an upgrade: the files are those that the service of commit 96124c1 wrote.
  it('knows what an earlier version kept', async () => {
    const folder = aFolder({})
    cpSync(join(import.meta.dirname, '../testing/tokens-by-96124c1'), folder, { recursive: true })

    const memory = await open(folder)

    expect(memory.size().tokens).toBe(12)
    for (let number = 1; number <= 12; number++) {
      expect(memory.find(addressOf(number))).toMatchObject({ name: `Token ${number}`, supply: 1_000n })
    }
  })

  it('starts over when the kind of source is another', async () => {
    const folder = aFolder({})
    let memory = await open(folder, { source: 'recording' })
    memory.apply([aMadeToken()], at(1))

    memory = await reopened(memory, folder, { source: 'chain' })

    expect(memory.find(addressOf(1))).toBeUndefined()
  })

  it('behaves like a map of tokens, over restarts at any time', async () => {
    const step = fc.record({
      mint: fc.integer({ min: 1, max: 6 }),
      kind: fc.constantFrom('made', 'supply', 'authority', 'name', 'unsure', 'restart', 'settle'),
      amount: fc.integer({ min: -40, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const folder = aFolder({})
        let memory = await open(folder, { segmentBytes: 600 })
        const model = new Map<number, { supply: bigint; name: string; mintAuthority: string | null }>()
        for (const [slot, { mint, kind, amount }] of steps.entries()) {
          const token = model.get(mint)
          const change = { account: aKey(mint) }
          if (kind === 'restart') memory = await reopened(memory, folder, { segmentBytes: 600 })
          else if (kind === 'settle') await memory.settle()
          else if (kind === 'made') {
            memory.apply([aMadeToken({ ...change, supply: 50n, metadataAccount: null })], at(slot))
            model.set(mint, { supply: 50n, name: 'Nut', mintAuthority: addressOf(2) })
          } else if (kind === 'unsure') {
            memory.apply([aChange({ ...change, isUnsure: true })], at(slot))
            model.delete(mint)
          } else if (kind === 'supply') {
            memory.apply([aChange({ ...change, supply: BigInt(amount) })], at(slot))
            if (token) token.supply += BigInt(amount)
            if (token && token.supply < 0n) model.delete(mint)
          } else if (kind === 'authority') {
            memory.apply([aChange({ ...change, mintAuthority: null })], at(slot))
            if (token) token.mintAuthority = null
          } else {
            memory.apply([aChange({ ...change, metadata: { name: `${amount}` } })], at(slot))
            if (token) token.name = `${amount}`
          }
        }
        memory = await reopened(memory, folder)
        for (const mint of [1, 2, 3, 4, 5, 6]) {
          const token = memory.find(addressOf(mint))
          const { supply, name, mintAuthority } = token ?? {}
          expect(token && { supply, name, mintAuthority }).toEqual(model.get(mint))
        }
        expect(memory.size().tokens).toBe(model.size)
        await memory.close()
      }),
      { numRuns: inCi(40, 15) },
    )
  })

  it('drops the least recently used tokens once there are too many', async () => {
    const folder = aFolder({})
    const bounds = { tokens: 60, bytes: 1_000_000 }
    const memory = await open(folder, { bounds, segmentBytes: 2_000 })
    const touched = encodeBase58(keyOf(0, 0))

    for (let slot = 0; slot < 300; slot++) {
      memory.apply([aMadeToken({ account: keyOf(slot, 0), metadataAccount: keyOf(slot, 1) })], at(slot))
      if (slot % 20 === 0) memory.complete(aPairToken({ mint: touched }), at(slot))
      await memory.settle()
      expect(memory.size().tokens).toBeLessThanOrEqual(60)
    }

    expect(memory.size().tokens).toBeGreaterThan(30)
    expect(memory.find(touched)).toBeDefined()
    expect(memory.find(encodeBase58(keyOf(1, 0)))).toBeUndefined()
    expect(memory.find(encodeBase58(keyOf(299, 0)))).toBeDefined()
    const again = await reopened(memory, folder, { bounds })
    expect(again.size()).toEqual(memory.size())
    await again.close()
  })

  it('loses none to a token that changes all the time, and keeps its files small', async () => {
    const folder = aFolder({})
    const bounds = { tokens: 1_000, bytes: 20_000 }
    const memory = await open(folder, { bounds, segmentBytes: 2_000 })
    for (let number = 0; number < 10; number++) {
      memory.apply([aMadeToken({ account: keyOf(number, 0), metadataAccount: null })], at(0))
    }

    for (let slot = 1; slot <= 1_000; slot++) {
      memory.apply([aChange({ account: keyOf(0, 0), supply: 1n })], at(slot))
      await memory.settle()
      expect(memory.size().bytes).toBeLessThan(25_000)
    }

    const again = await reopened(memory, folder, { bounds })
    expect(again.size().tokens).toBe(10)
    expect(again.find(encodeBase58(keyOf(0, 0)))).toMatchObject({ supply: 2_000n })
    for (let number = 1; number < 10; number++) {
      expect(again.find(encodeBase58(keyOf(number, 0)))).toMatchObject({ supply: 1_000n })
    }
    await again.close()
  })

  it('lasts only as long as the process if its folder cannot be used, and logs that', async () => {
    const folder = aFolder({ tokens: 'no folder' })
    const warnings: string[] = []
    const log = { ...silentLog, warn: (sentence: string) => warnings.push(sentence) }

    const memory = await open(join(folder, 'tokens'), { log })
    memory.apply([aMadeToken()], at(1))
    memory.settle()

    expect(memory.find(addressOf(1))).toBeDefined()
    expect(warnings).toEqual([expect.stringMatching(/cannot be used/)])
    await memory.close()
  })

  it('forgets what was in damaged files, and logs that', async () => {
    const folder = aFolder({})
    const memory = await open(folder)
    memory.apply([aMadeToken()], at(1))
    await memory.close()
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'no tokens at all\n')
    const warnings: string[] = []

    const again = await open(folder, { log: { ...silentLog, warn: (sentence) => warnings.push(sentence) } })

    expect(again.find(addressOf(1))).toBeUndefined()
    expect(warnings).toEqual([expect.stringMatching(/damaged file was set aside/)])
    again.apply([aMadeToken()], at(2))
    expect(again.find(addressOf(1))).toBeDefined()
    await again.close()
  })
})

describe('comparePoints', () => {
  it('orders by run, then slot, then index in the block', () => {
    const points = [at(9, 9, 0), at(1, 5, 1), at(2, 1, 1), at(2, 3, 1), at(1, 1, 2)]

    expect([...points].reverse().sort(comparePoints)).toEqual(points)
    expect(comparePoints(at(2, 1), at(2, 1))).toBe(0)
  })
})

/** The mint of token number `number` in a slot. */
function keyOf(slot: number, number: number): Uint8Array {
  return createHash('sha256').update(`${slot} ${number}`).digest()
}

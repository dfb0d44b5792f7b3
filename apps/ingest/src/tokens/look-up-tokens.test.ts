import { encodeBase58, TokensAnswer, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../testing/silent-log.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { lookUpTokens } from './look-up-tokens.ts'
import { openTokenMemory } from './token-memory.ts'

const MINT = encodeBase58(new Uint8Array(32).fill(1))
const OTHER = encodeBase58(new Uint8Array(32).fill(2))
const BLOCK_TIME = Date.UTC(2026, 10, 20, 10) / 1000

describe('token lookup', () => {
  it("returns the details of a pair and the token's page, also after a restart, and null if unknown", async () => {
    const folder = aFolder({})
    const before = await openTokenMemory({ folder, source: 'chain', log: silentLog })
    const uri = 'https://page.example/1.json'
    before.complete(
      {
        ...{ mint: MINT, decimals: 6, supply: 1_000n, name: 'Nut', symbol: 'NUT', uri },
        ...{ mintAuthority: null, freezeAuthority: null },
      },
      { run: 0, slot: 7, transactionIndex: 0, blockTime: BLOCK_TIME },
      'pumpfun',
    )
    const logo = 'https://page.example/1.png'
    before.describe(MINT, uri, { logo, socials: null })
    await before.close()

    const after = await openTokenMemory({ folder, source: 'chain', log: silentLog })
    const tokens = lookUpTokens(after, [MINT, OTHER, WRAPPED_SOL])

    expect(tokens).toEqual({
      [MINT]: {
        ...{ name: 'Nut', symbol: 'NUT', logo, decimals: 6, launchpad: 'pumpfun' },
        firstSeen: '2026-11-20T10:00:00.000Z',
      },
      [OTHER]: null,
      [WRAPPED_SOL]: expect.objectContaining({ symbol: 'SOL', decimals: 9 }),
    })
    expect(TokensAnswer.safeParse({ tokens }).success).toBe(true)
    await after.close()
  })

  it('omits the details of an old page when the token has a new one', async () => {
    const memory = await openTokenMemory({ folder: aFolder({}), source: 'chain', log: silentLog })
    const token = {
      ...{ mint: MINT, decimals: 6, supply: 1_000n, name: 'Nut', symbol: 'NUT' },
      ...{ mintAuthority: null, freezeAuthority: null },
    }
    const at = { run: 0, slot: 7, transactionIndex: 0 }
    memory.complete({ ...token, uri: 'https://a.example' }, at)
    memory.describe(MINT, 'https://a.example', { logo: 'https://a.example/1.png', socials: null })

    memory.complete({ ...token, uri: 'https://b.example' }, at)

    memory.describe(MINT, 'https://a.example', { logo: 'https://a.example/1.png', socials: null })
    expect(lookUpTokens(memory, [MINT])[MINT]?.logo).toBeNull()
    await memory.close()
  })
})

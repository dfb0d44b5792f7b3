import { USDC, WRAPPED_SOL } from '@pairwire/contract/mints'
import { describe, expect, it } from 'vitest'
import type { TokenFace } from './token-face.ts'
import {
  ASK_AGAIN_MS,
  createTokenNames,
  GATHER_MS,
  MINTS_PER_QUESTION,
  REMEMBERED,
  REST_MS,
} from './token-names.ts'

const aFace = (mint: string, fields: Partial<TokenFace> = {}): TokenFace => ({
  mint,
  symbol: `${mint}-symbol`,
  name: '',
  logo: '',
  ...fields,
})

/** Names whose server knows `onServer`, with a clock that only moves on command. */
function someNames(onServer: readonly TokenFace[] = [], remembered: readonly TokenFace[] = []) {
  let now = 0
  let timers: { at: number; act: () => void }[] = []
  const asked: (readonly string[])[] = []
  const told: TokenFace[] = []
  let isDown = false
  const names = createTokenNames({
    ask: async (mints) => {
      asked.push(mints)
      if (isDown) throw new Error('down')
      return onServer.filter(({ mint }) => mints.includes(mint))
    },
    told: (faces) => told.push(...faces),
    after: (ms, act) => timers.push({ at: now + ms, act }),
    remembered,
  })
  return {
    names,
    asked,
    told,
    fails: () => {
      isDown = true
    },
    async pass(ms: number) {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { act } of due) act()
      await Promise.resolve().then(() => {})
      await new Promise(setImmediate)
    },
  }
}

describe('token names', () => {
  it('know SOL and the stable coins without a request', async () => {
    const { names, asked, pass } = someNames()
    for (const mint of [WRAPPED_SOL, USDC, '']) names.want(mint)
    await pass(GATHER_MS)

    // A watcher compares by identity: the same face must be the same object.
    expect(names.read(WRAPPED_SOL)).toBe(names.read(WRAPPED_SOL))
    expect([names.read(WRAPPED_SOL)?.symbol, names.read(USDC)?.symbol, asked]).toEqual(['SOL', 'USDC', []])
  })

  it('begin with the tokens of the last visit, and keep the newest for the next', () => {
    const { names } = someNames([], [aFace('old', { logo: 'https://l' })])
    expect(names.read('old')?.symbol).toBe('old-symbol')

    names.learn(Array.from({ length: REMEMBERED }, (_, index) => aFace(`mint-${index}`)))
    const next = names.newest()
    expect(next).toHaveLength(REMEMBERED)
    expect(next.at(-1)?.mint).toBe(`mint-${REMEMBERED - 1}`)
  })

  it('request together everything shown at once, and report what they learned', async () => {
    const { names, asked, told, pass } = someNames([aFace('a')])
    for (const mint of ['a', 'b', 'a']) names.want(mint)
    await pass(GATHER_MS)
    names.want('b')
    await pass(REST_MS)
    await pass(GATHER_MS)

    expect(asked).toEqual([['b', 'a']])
    expect(names.read('a')?.symbol).toBe('a-symbol')
    expect(told.map(({ mint }) => mint)).toEqual(['a'])
    expect(names.read('b')).toBeUndefined()
  })

  // Guards rows that are shown before the service knows the names of their tokens.
  it('repeat requests for what the server did not know yet, until it has a name and a picture', async () => {
    const onServer: TokenFace[] = []
    const { names, asked, told, pass } = someNames(onServer)
    names.want('a')
    await pass(GATHER_MS)
    onServer.push(aFace('a'))
    await pass(ASK_AGAIN_MS[0])
    await pass(GATHER_MS)
    expect(told.map(({ logo }) => logo)).toEqual([''])
    onServer.splice(0, 1, aFace('a', { logo: 'https://l' }))
    await pass(ASK_AGAIN_MS[1])
    await pass(GATHER_MS)

    expect(names.read('a')?.logo).toBe('https://l')
    await pass(10 * ASK_AGAIN_MS[5])
    await pass(GATHER_MS)
    expect(asked).toEqual([['a'], ['a'], ['a']])
  })

  it('request by themselves what was wanted during a request', async () => {
    const { names, asked, pass } = someNames([aFace('a')])
    names.subscribe(() => names.want('b'))
    names.want('a')
    await pass(GATHER_MS)
    await pass(REST_MS)
    await pass(GATHER_MS)

    expect(asked).toEqual([['a'], ['b']])
  })

  it('repeat after 2, 4, 8, 8 and 8 s, also after a failed request, and finally only for visible tokens', async () => {
    const { names, asked, pass, fails } = someNames()
    fails()
    names.want('a')
    for (let second = 0; second < 300; second++) {
      await pass(1_000)
      if (second < 80) names.want('a')
    }
    expect(asked).toHaveLength(6)

    names.want('a')
    await pass(GATHER_MS)
    expect(asked).toHaveLength(7)
  })

  it('request only the newest when more rows pass than a request holds', async () => {
    const { names, asked, pass } = someNames()
    for (let index = 0; index < 1_000; index++) names.want(`mint-${index}`)
    await pass(GATHER_MS)

    expect(asked[0]).toHaveLength(MINTS_PER_QUESTION)
    expect(asked[0]!.at(-1)).toBe('mint-999')
  })

  it('add late details to what they knew', () => {
    const { names } = someNames()
    let changes = 0
    names.subscribe(() => changes++)
    names.learn([aFace('a', { symbol: '', name: 'Harbour' })])
    names.learn([aFace('a', { logo: 'https://l' })])

    expect(names.read('a')).toEqual({ mint: 'a', symbol: 'a-symbol', name: 'Harbour', logo: 'https://l' })
    expect(changes).toBe(2)
  })

  it('notify no listener of a token that is named again unchanged, and keep its face the same object', () => {
    const { names } = someNames()
    let changes = 0
    names.subscribe(() => changes++)
    names.learn([aFace('a')])
    const known = names.read('a')
    names.learn([aFace('a'), aFace('a', { symbol: '' })])
    const again = [changes, names.read('a') === known]
    names.learn([aFace('a', { logo: 'https://a.example/a.png' })])

    expect([again, changes]).toEqual([[1, true], 2])
  })
})

import { describe, expect, it } from 'vitest'
import { SERIES } from '../feed/chart-buckets.ts'
import { Recorder } from './recorder.ts'
import { createStoppingPlace } from './stopping-place.ts'
import { createSubscriptionBook } from './subscription-book.ts'

const NOW = 1_795_201_702_000
const ALL = { epoch: 0, since: 0, rows: true }

const aSwap = (change: object = {}) =>
  JSON.stringify({
    method: 'swapNotification',
    params: {
      signature: 'sig',
      blockTime: NOW / 1000 - 1,
      swap: { sourceExchange: 'pumpfun', swapType: 'buy', quotePrice: '1', baseTokenMint: 'mint', ...change },
    },
  })
const aPair = (mint: string, symbol: string) =>
  JSON.stringify({
    method: 'newPairNotification',
    params: { pair: { baseToken: { account: mint, info: { metadata: { name: 'Name', symbol } } } } },
  })

describe('recorder', () => {
  it('counts every event and keeps the latest hundred rows, newest first', () => {
    const recorder = new Recorder()
    for (let index = 0; index < 250; index++) recorder.take(aSwap({ quotePrice: String(index) }), NOW)

    const { received, rows, kept } = recorder.snapshot(NOW, ALL)

    expect([received, rows.length, kept]).toEqual([250, 100, 100])
    expect(rows[0]!.reading).toMatchObject({ price: '249' })
    expect(rows[99]!.reading).toMatchObject({ price: '150' })
  })

  it('marks early swaps that are taken back, also among matches, and not the one that comes again', () => {
    const recorder = new Recorder()
    const early = (signature: string) => aSwap({ signature }).replace('{', '{"commitment":"processed",')
    for (const signature of ['gone', 'kept']) recorder.take(early(signature), NOW)
    recorder.take(aSwap({ signature: 'gone' }), NOW)
    recorder.filter({ kind: 'buy', text: '' })
    recorder.take(
      '{"method":"slotDroppedNotification","params":{"subscription_id":2,"slot":7,"signatures":["gone"]}}',
      NOW,
    )
    recorder.take(early('gone'), NOW)

    const { rows, takenBack } = recorder.snapshot(NOW, ALL)

    expect(rows.map(({ id, isTakenBack = false }) => [id, isTakenBack])).toEqual([
      [5, false],
      [3, false],
      [2, false],
      [1, true],
    ])
    expect(takenBack).toEqual([1])
    expect(recorder.snapshot(NOW, ALL).takenBack).toEqual([])
    recorder.filter({ kind: 'message', text: '' })
    expect(recorder.snapshot(NOW, ALL).rows[0]!.reading).toMatchObject({
      tone: 'gap',
      words: 'Transactions taken back from slot 7: 1',
    })
  })

  it('resumes from the last confirmed event, as early ones have no cursor', () => {
    const place = createStoppingPlace()
    const recorder = new Recorder(place)
    const { cursor: _, ...early } = { ...JSON.parse(aSwap()), commitment: 'processed' }
    recorder.take(JSON.stringify({ ...JSON.parse(aSwap()), cursor: 'here' }), NOW)
    recorder.take(JSON.stringify(early), NOW)

    expect(place.read('swap')).toBe('here')
  })

  it('updates the latest block, without a row or a count', () => {
    const recorder = new Recorder()
    recorder.take('{"method":"latestBlockNotification","params":{"block":7,"blockTime":1}}', NOW)

    expect(recorder.snapshot(NOW, ALL)).toMatchObject({ block: 7, blockAt: NOW, received: 0, rows: [] })
  })

  it('makes rows of answers without counting them', () => {
    const recorder = new Recorder()
    recorder.take('{"id":1,"result":{"subscription_id":2}}', NOW)

    expect(recorder.snapshot(NOW, ALL)).toMatchObject({ received: 0, kinds: { message: 1 } })
  })

  it('keeps the last fifty messages separate from the events, so that none of them pushes out a message of the server', () => {
    const recorder = new Recorder()
    for (let index = 0; index < 60; index++) recorder.take(`{"id":${index},"result":true}`, NOW)
    for (let index = 0; index < 300; index++) recorder.take(aSwap(), NOW)

    const all = recorder.snapshot(NOW, ALL)
    recorder.filter({ kind: 'message', text: '' })
    const messages = recorder.snapshot(NOW, ALL)

    expect([all.rows.length, all.kept, all.kinds.message]).toEqual([100, 100, 50])
    expect(all.rows.every(({ reading }) => reading.kind === 'swap')).toBe(true)
    expect(messages.rows).toHaveLength(50)
    expect(messages.rows[0]!.text).toContain('"id":59')
  })

  it('reports the last error in full, with its page, until the next start', () => {
    const recorder = new Recorder()
    const error = {
      code: -32602,
      message: 'No.',
      data: { errorType: 'EMPTY_LIST', docs: 'https://x/errors/empty' },
    }
    recorder.take(JSON.stringify({ id: 1, error }), NOW)
    for (let index = 0; index < 300; index++) recorder.take(aSwap(), NOW)

    const told = recorder.snapshot(NOW, ALL).error
    recorder.started(NOW)

    expect(told).toMatchObject({ words: 'No.', errorType: 'EMPTY_LIST', docs: 'https://x/errors/empty' })
    expect(recorder.snapshot(NOW, ALL).error).toBeNull()
  })

  it('reports the names from pairs and their updates once, and makes no row of an update', () => {
    const recorder = new Recorder()
    const metadata = { name: 'Late', symbol: 'LATE', logo: 'https://l' }
    recorder.take(aPair('mint', ''), NOW)
    recorder.take(
      JSON.stringify({
        method: 'pairUpdateNotification',
        params: { subscription_id: 1, ammAccount: 'a', baseToken: { account: 'mint', info: { metadata } } },
      }),
      NOW,
    )
    recorder.take(aSwap(), NOW)

    const { rows, named, received } = recorder.snapshot(NOW, ALL)

    expect(named).toMatchObject([
      { mint: 'mint', name: 'Name' },
      { mint: 'mint', ...metadata },
    ])
    expect([rows.length, received, rows[0]!.symbol]).toEqual([2, 2, 'LATE'])
    expect(recorder.snapshot(NOW, ALL).named).toEqual([])
  })

  it('uses names from elsewhere for later rows', () => {
    const recorder = new Recorder()
    recorder.name([{ mint: 'mint', symbol: 'KNOWN', name: '', logo: '' }])
    recorder.take(aSwap(), NOW)

    expect(recorder.snapshot(NOW, ALL).rows[0]!.symbol).toBe('KNOWN')
  })

  it('reports since when the block feed of an open connection has been silent', () => {
    const recorder = new Recorder()
    const heardAt = (now: number) => recorder.snapshot(now, ALL).heardAt
    recorder.started(NOW)
    const before = heardAt(NOW)
    recorder.opened(NOW)
    const opened = heardAt(NOW + 3_000)
    recorder.take('{"method":"latestBlockNotification","params":{"block":7}}', NOW + 4_000)
    const heard = heardAt(NOW + 4_500)
    recorder.stopped(NOW + 5_000)

    expect([before, opened, heard, heardAt(NOW + 9_000)]).toEqual([null, NOW, NOW + 4_000, null])
  })

  it('returns only what is new since the last snapshot', () => {
    const recorder = new Recorder()
    recorder.take(aSwap(), NOW)
    const first = recorder.snapshot(NOW, ALL)
    recorder.take(aSwap({ swapType: 'sell' }), NOW)

    const second = recorder.snapshot(NOW, { epoch: first.epoch, since: first.rows[0]!.id, rows: true })

    expect(first.isReset).toBe(true)
    expect(second.isReset).toBe(false)
    expect(second.rows.map((row) => row.reading)).toMatchObject([{ isBuy: false }])
  })

  it('returns no rows to a page that holds its list', () => {
    const recorder = new Recorder()
    const { epoch } = recorder.snapshot(NOW, ALL)
    recorder.take(aSwap(), NOW)

    expect(recorder.snapshot(NOW, { epoch, since: 0, rows: false })).toMatchObject({ rows: [], received: 1 })
  })

  it('keeps matching rows when others push them out', () => {
    const recorder = new Recorder()
    recorder.filter({ kind: 'all', text: '>1000' })
    recorder.take(aSwap({ usdValue: 5_000 }), NOW)
    for (let index = 0; index < 300; index++) recorder.take(aSwap({ usdValue: 1 }), NOW)

    const { rows, kept } = recorder.snapshot(NOW, ALL)

    expect(rows.map((row) => row.reading)).toMatchObject([{ usd: 5_000 }])
    expect(kept).toBe(100)
  })

  it('shows all rows again when the filter is removed', () => {
    const recorder = new Recorder()
    recorder.take(aSwap(), NOW)
    recorder.filter({ kind: 'sell', text: '' })
    const none = recorder.snapshot(NOW, ALL)
    recorder.filter({ kind: 'all', text: '' })

    const all = recorder.snapshot(NOW, { epoch: none.epoch, since: 99, rows: true })

    expect(none.rows).toEqual([])
    expect(all).toMatchObject({ isReset: true, rows: [{ id: 1 }] })
  })

  it('counts the kinds of the kept rows', () => {
    const recorder = new Recorder()
    for (let index = 0; index < 10; index++) recorder.take(aPair(`mint${index}`, 'S'), NOW)
    for (let index = 0; index < 95; index++)
      recorder.take(aSwap({ swapType: index < 40 ? 'buy' : 'sell' }), NOW)

    expect(recorder.snapshot(NOW, ALL).kinds).toEqual({ pair: 5, buy: 40, sell: 55, message: 0 })
  })

  it('counts the kinds of the rows that match the text', () => {
    const recorder = new Recorder()
    for (const [usdValue, swapType] of [
      [1, 'buy'],
      [9, 'buy'],
      [9, 'sell'],
    ])
      recorder.take(aSwap({ usdValue, swapType }), NOW)
    recorder.filter({ kind: 'buy', text: '>5' })

    expect(recorder.snapshot(NOW, ALL).kinds).toEqual({ pair: 0, buy: 1, sell: 1, message: 0 })
  })

  it('drops a refusal when the request is accepted, or anything after an invalid request', () => {
    const book = createSubscriptionBook()
    const recorder = new Recorder(createStoppingPlace(), book)
    const answer = (id: number, isAccepted: boolean) => {
      const said = isAccepted ? '"result":{"subscription_id":1}' : '"error":{"code":-32602,"message":"No."}'
      recorder.take(`{"id":${id},${said}}`, NOW)
      return recorder.snapshot(NOW, ALL).error === null
    }
    for (const [id, method] of ['swapSubscribe', 'newPairSubscribe', 'swapSubscribe', 'swap'].entries())
      book.sent(JSON.stringify({ id, method }))

    expect([answer(0, false), answer(1, true), answer(2, true)]).toEqual([false, false, true])
    book.sent('{"id":4,"method":"swapSubscribe"}')
    expect([answer(3, false), answer(4, true)]).toEqual([false, true])
  })

  it('names the token of a swap by the new pair that named it', () => {
    const recorder = new Recorder()
    recorder.take(aPair('mint', 'CRANE'), NOW)
    recorder.take(aSwap(), NOW)

    expect(recorder.snapshot(NOW, ALL).rows[0]!.symbol).toBe('CRANE')
  })

  it('counts and draws without making rows on request', () => {
    const recorder = new Recorder()
    recorder.take(aSwap({ swapType: 'sell' }), NOW, true)
    recorder.take(aPair('mint', 'S'), NOW, true)
    recorder.take('{ "method" : "swapNotification", "params": {"swapType":"buy"} }', NOW, true)
    recorder.take('{"error":{"code":-32029,"message":"Too many."}}', NOW, true)

    const { received, pairs, buckets, rows } = recorder.snapshot(NOW, ALL)

    expect([received, pairs]).toEqual([3, 1])
    expect([...buckets.slice(-SERIES)]).toEqual([1, 1, 1])
    expect(rows.map((row) => row.reading.kind)).toEqual(['message'])
  })

  it('empties count, list and chart, and restores them below newer rows', () => {
    const recorder = new Recorder()
    recorder.take(aSwap({ quotePrice: '1' }), NOW)
    recorder.clear(NOW)
    const cleared = recorder.snapshot(NOW, ALL)
    recorder.take(aSwap({ quotePrice: '2' }), NOW)
    recorder.undo(NOW)

    const back = recorder.snapshot(NOW, { epoch: cleared.epoch, since: 2, rows: true })

    expect(cleared).toMatchObject({ received: 0, rows: [], kinds: { buy: 0 } })
    expect(cleared.buckets.every((number) => number === 0)).toBe(true)
    expect(back).toMatchObject({ isReset: true, received: 2, kinds: { buy: 2 } })
    expect(back.rows.map((row) => row.reading)).toMatchObject([{ price: '2' }, { price: '1' }])
    expect([...back.buckets.slice(-SERIES)]).toEqual([2, 0, 0])
  })

  it('restores a clear only once', () => {
    const recorder = new Recorder()
    recorder.take(aSwap(), NOW)
    recorder.clear(NOW)
    recorder.undo(NOW)
    recorder.undo(NOW)

    expect(recorder.snapshot(NOW, ALL).received).toBe(1)
  })

  it('freezes the chart when the stream stops, and continues when it starts again', () => {
    const recorder = new Recorder()
    recorder.started(NOW)
    recorder.take(aSwap(), NOW)
    recorder.stopped(NOW + 1_000)

    const later = recorder.snapshot(NOW + 600_000, ALL)

    expect(later).toMatchObject({ at: NOW + 1_000, perSecond: 0, lagMs: null })
    expect(later.buckets.some((number) => number > 0)).toBe(true)
    recorder.started(NOW + 600_000)
    expect(recorder.snapshot(NOW + 600_000, ALL).buckets.some((number) => number > 0)).toBe(false)
  })

  it('reports how late events arrive', () => {
    const recorder = new Recorder()
    recorder.started(NOW)
    recorder.take(aSwap(), NOW)

    expect(recorder.snapshot(NOW, ALL).lagMs).toBe(1_000)
  })

  it("counts lateness by the server's clock", () => {
    const recorder = new Recorder()
    recorder.started(NOW)
    recorder.snapshot(NOW, { ...ALL, clockOffset: 7_000 })
    recorder.take(aSwap(), NOW)

    expect(recorder.snapshot(NOW, { ...ALL, clockOffset: 7_000 }).lagMs).toBe(8_000)
  })

  it('reports the active tokens every five seconds, named by the pairs that were seen', () => {
    const recorder = new Recorder()
    recorder.started(NOW)
    recorder.take(aPair('m5', 'CRANE'), NOW)
    for (let mint = 1; mint <= 5; mint++)
      for (let swap = 0; swap < mint; swap++) recorder.take(aSwap({ baseTokenMint: `m${mint}` }), NOW)

    const first = recorder.snapshot(NOW, ALL)
    const soon = recorder.snapshot(NOW + 4_999, ALL)
    const due = recorder.snapshot(NOW + 5_000, ALL)

    expect(first.tokens?.map(({ mint }) => mint)).toEqual(['m5', 'm4', 'm3', 'm2', 'm1'])
    expect(first.tokens?.[0]).toMatchObject({ symbol: 'CRANE', buys: 5 })
    expect(soon.tokens).toBeUndefined()
    expect(due.tokens).toHaveLength(5)
  })

  it('empties the active tokens with a clear, also of a stopped stream, and restores them together with newer ones', () => {
    const recorder = new Recorder()
    recorder.started(NOW)
    recorder.take(aSwap({ baseTokenMint: 'm1' }), NOW)
    recorder.stopped(NOW)

    recorder.clear(NOW + 10)
    const cleared = recorder.snapshot(NOW + 20, ALL)
    recorder.started(NOW + 30)
    recorder.take(aSwap({ baseTokenMint: 'm1' }), NOW + 40)
    recorder.take(aSwap({ baseTokenMint: 'm2' }), NOW + 50)
    recorder.undo(NOW + 60)

    expect(cleared.tokens).toEqual([])
    expect(recorder.snapshot(NOW + 70, ALL).tokens?.map(({ mint, buys }) => [mint, buys])).toEqual([
      ['m1', 2],
      ['m2', 1],
    ])
  })
})

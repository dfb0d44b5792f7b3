import type { Line, LineListener } from '@pairwire/client/line'
import { describe, expect, it } from 'vitest'
import type { Snapshot, WorkerReport } from '../feed/worker-messages.ts'
import { StreamSession } from './stream-session.ts'

/** A session on a stream whose other side is played by the test. */
function aSession() {
  const sent: string[] = []
  const reports: WorkerReport[] = []
  const turns: (() => void)[] = []
  let listener: LineListener = {}
  let state: Line['state'] = 'idle'
  let now = 1_000_000
  const opened: string[] = []
  const stream: Line = {
    get state() {
      return state
    },
    open(url, key) {
      if (url === 'nonsense') throw new Error('No address.')
      state = 'connecting'
      opened.push(`${url}?${key}`)
    },
    send: (text) => sent.push(text) > 0,
    close: () => ends(1000),
    subscribe(added) {
      listener = added
      return () => {}
    },
  }
  const session = new StreamSession({
    stream,
    clock: () => now,
    report: (report) => reports.push(report),
    nextTurn: (act) => turns.push(act),
  })
  return {
    session,
    pass: (ms: number) => {
      now += ms
    },
    sent,
    reports,
    opened,
    starts: (request: string) => session.handle({ kind: 'open', url: 'ws://x/', key: 'k', request }),
    resumes: () =>
      session.handle({ kind: 'open', url: 'ws://x/', key: 'k', request: 'typed since', resumes: true }),
    opens() {
      state = 'open'
      listener.opened?.()
    },
    hears: (text: string) => listener.text?.(text),
    fails: () => listener.failed?.(),
    ends,
    /** Lets the worker process what has arrived, and returns what a page would show. */
    shown(): Snapshot {
      while (turns.length > 0) turns.shift()?.()
      session.handle({ kind: 'pull', epoch: 0, since: 0, rows: true, clockOffset: 0 })
      const last = reports.at(-1)
      if (last?.kind !== 'snapshot') throw new Error('A pull is answered by a snapshot.')
      return last.snapshot
    },
  }

  function ends(code: number, reason = '') {
    state = 'idle'
    listener.closed?.({ code, reason })
  }
}

const words = ({ rows }: Snapshot) =>
  rows.map(({ reading }) => (reading.kind === 'message' ? [reading.words, reading.detail] : reading.kind))
const REFUSED = 'Error connecting to websocket, check api key and connection.'

const SWAPS = '{"method":"swapSubscribe","params":{"usdvalue":1.0}}'
const aSwap = (cursor: string) =>
  JSON.stringify({ method: 'swapNotification', params: { swap: { swapType: 'buy' } }, cursor })

describe('stream session', () => {
  it.each(['{"method":"swapSubscribe"}', '  {"a" :1}\n ', '{ not json', ''])(
    'subscribes to the block feed first, then sends %j as typed',
    (request) => {
      const { starts, opens, sent, opened } = aSession()

      starts(request)
      opens()

      expect(opened).toEqual(['ws://x/?k'])
      expect(sent).toEqual(['{"method":"latestBlockSubscribe"}', request])
    },
  )

  it('sends nothing before the connection is open', () => {
    const { starts, sent } = aSession()

    starts('{}')

    expect(sent).toEqual([])
  })

  it('makes rows of arriving frames, in a turn of its own', () => {
    const { starts, opens, hears, shown } = aSession()
    starts('{}')
    opens()

    hears('{"method":"swapNotification","params":{"swap":{"swapType":"buy"}}}')
    hears('{"method":"latestBlockNotification","params":{"block":9}}')

    expect(shown()).toMatchObject({ received: 1, block: 9 })
  })

  it('records everything that arrives, and delivers the file on request or when the connection ends', async () => {
    const { session, starts, opens, hears, ends, shown, reports } = aSession()
    const recorded = () => reports.filter((report) => report.kind === 'recorded')
    starts('{}')
    opens()
    session.handle({ kind: 'record', on: true })
    hears('{"a":1}')
    expect(shown().recording).toEqual({ frames: 1, bytes: 8 })
    session.handle({ kind: 'record', on: false })
    hears('{"b":1}')
    shown()
    session.handle({ kind: 'record', on: true })
    hears('{"c":1}')
    ends(1006)

    const texts = await Promise.all(recorded().map(({ file }) => file.text()))
    expect(texts).toEqual(['{"a":1}\n', '{"c":1}\n'])
  })

  it('reports for two seconds that it shows a sample when too much arrived at once, and counts all of it', () => {
    const { starts, opens, hears, shown, pass } = aSession()
    starts('{}')
    opens()
    for (let index = 0; index < 6_000; index++)
      hears(`{"method":"swapNotification","params":{"swap":{"swapType":"${index % 3 ? 'buy' : 'sell'}"}}}`)

    const flooded = shown()
    pass(2_000)

    expect(flooded).toMatchObject({ received: 6_000, isSampling: true })
    expect([...flooded.buckets.slice(-3)]).toEqual([4_000, 2_000, 0])
    expect(shown()).toMatchObject({ received: 6_000, isSampling: false })
  })

  it('reports a connection that failed to open as an error, and as closed', () => {
    const { starts, fails, ends, shown, reports } = aSession()
    starts('{}')
    fails()
    ends(1006)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', isStopped: false })
    expect(words(shown())).toEqual([
      ['Websocket closed', ''],
      [REFUSED, ''],
    ])
  })

  it.each([4001, 4003, 4029])('treats a close with %i before any frame as a refusal', (code) => {
    const { starts, opens, ends, shown } = aSession()
    starts('{}')
    opens()
    ends(code, 'The reason.')

    expect(words(shown())).toEqual([
      ['Websocket closed', ''],
      [REFUSED, 'The reason.'],
    ])
  })

  it('treats the same close after a frame as a close, with its reason', () => {
    const { starts, opens, hears, ends, shown } = aSession()
    starts('{}')
    opens()
    hears('{"result":true}')
    ends(4001, 'This API key is not known, or it was reset.')

    expect(words(shown())[0]).toEqual(['Websocket closed', 'This API key is not known, or it was reset.'])
    expect(words(shown())).not.toContainEqual([REFUSED, expect.anything()])
  })

  it('keeps what arrived before the close, below it', () => {
    const { starts, opens, hears, ends, shown } = aSession()
    starts('{}')
    opens()
    hears('{"method":"newPairNotification","params":{}}')
    ends(1001)

    expect(words(shown())).toEqual([['Websocket closed', ''], 'pair'])
  })

  it('reports an invalid address', () => {
    const { session, shown } = aSession()

    session.handle({ kind: 'open', url: 'nonsense', key: '', request: '' })

    expect(words(shown())).toEqual([
      ['Websocket closed', ''],
      [REFUSED, 'No address.'],
    ])
  })

  it('does not open a second connection, nor one by itself', () => {
    const { starts, opens, ends, opened } = aSession()
    starts('{}')
    starts('{}')
    opens()
    starts('{}')
    ends(1006)

    expect(opened).toHaveLength(1)
  })

  it.each([
    [1001, 'The service is restarting. Reconnect in a moment.'],
    [1006, ''],
    [4008, 'Your client read too slowly. Reconnect and resume from your cursor.'],
    [1011, ''],
  ])('resumes after the last counted event when the connection broke with %i', (code, reason) => {
    const { starts, resumes, opens, hears, ends, sent, reports } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    hears(aSwap('c2'))
    hears('{"method":"newPairNotification","params":{},"cursor":"c8"}')
    hears('{"method":"latestBlockNotification","params":{"block":9},"cursor":"c9"}')
    ends(code, reason)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: ['swap'] })
    resumes()
    opens()

    expect(sent.slice(2)).toEqual([
      '{"method":"latestBlockSubscribe"}',
      '{"id":2,"method":"swapSubscribe","params":{"usdvalue":1,"resume_from":"c2"}}',
    ])
  })

  it('resumes after the last event of a flood of which only a sample is shown', () => {
    const { starts, resumes, opens, hears, ends, sent } = aSession()
    starts(SWAPS)
    opens()
    for (let index = 0; index < 6_000; index++) hears(aSwap(`c${index}`))
    ends(1006)
    resumes()
    opens()

    expect(sent.at(-1)).toContain('"resume_from":"c5999"')
  })

  it("resumes from the closing sentence's cursor if that is later than the last event", () => {
    const { starts, resumes, opens, hears, ends, sent } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    ends(1001, 'The service is restarting. Reconnect in a moment. resume_from: c4')
    resumes()
    opens()
    ends(1006)
    resumes()
    opens()
    hears(aSwap('c6'))
    ends(1001, 'The service is restarting. Reconnect in a moment. resume_from: c5')
    resumes()
    opens()

    expect(sent.filter((text) => text.includes('swap')).map((text) => JSON.parse(text).params)).toEqual([
      { usdvalue: 1 },
      { usdvalue: 1, resume_from: 'c4' },
      { usdvalue: 1, resume_from: 'c4' },
      { usdvalue: 1, resume_from: 'c6' },
    ])
  })

  it('counts replayed events, above the existing rows', () => {
    const { starts, resumes, opens, hears, ends, shown } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    ends(1006)
    resumes()
    opens()
    hears(aSwap('c2'))

    expect(shown()).toMatchObject({ received: 2, kept: 3 })
  })

  it('starts from now, without a cursor of an earlier connection', () => {
    const { starts, opens, hears, ends, sent, reports } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    ends(1006)
    starts(SWAPS)
    opens()
    ends(1006)

    expect(sent.at(-1)).toBe(SWAPS)
    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: [] })
  })

  it.each([
    ['no event has come', SWAPS, '', 1006],
    ['events have no cursor', SWAPS, '{"method":"swapNotification","params":{}}', 1006],
    ['the request is no subscribe', 'swapSubscribe', aSwap('c1'), 1006],
    ['the account ended the connection', SWAPS, aSwap('c1'), 4009],
    ['the plan has ended', SWAPS, aSwap('c1'), 4003],
  ])('has nothing to resume when %s', (_, request, frame, code) => {
    const { starts, opens, hears, ends, reports } = aSession()
    starts(request)
    opens()
    if (frame) hears(frame)
    ends(code)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: [] })
  })

  it('has nothing to resume when the person stopped it', () => {
    const { session, starts, opens, hears, reports } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    session.handle({ kind: 'close' })

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: [] })
  })

  it('resumes all open subscriptions together, each from its cursor and with its last filter, whatever was typed since', () => {
    const { session, starts, resumes, opens, hears, ends, sent, shown, reports } = aSession()
    const says = (text: string) => session.handle({ kind: 'send', text })
    starts(SWAPS)
    opens()
    for (const id of [9, 1]) hears(`{"result":{"subscription_id":${id}}}`)
    says('{"id":8,"method":"newPairSubscribe","params":{"include_pumpfun":true}}')
    hears('{"id":8,"result":{"subscription_id":2}}')
    says(
      '{"id":9,"method":"updateSubscriptionParams","params":{"subscription_id":1,"params":{"include":{"usdValue":5}}}}',
    )
    hears('{"id":9,"result":true}')
    hears('{"method":"newPairNotification","params":{},"cursor":"c1"}')
    hears(aSwap('c2'))
    const why = 'The service is restarting.'
    for (const id of [1, 2])
      hears(`{"subscription_id":${id},"method":"subscriptionClosed","reason":"${why} resume_from: c2"}`)
    shown()
    ends(1001, `${why} resume_from: c2`)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: ['swap', 'newPair'] })
    expect(words(shown()).slice(0, 3)).toEqual([
      ['Websocket closed', 'resume_from: c2'],
      ['Subscription closed', ''],
      ['Subscription closed', why],
    ])
    resumes()
    opens()
    expect(sent.slice(-3)).toEqual([
      '{"method":"latestBlockSubscribe"}',
      '{"id":2,"method":"swapSubscribe","params":{"include":{"usdValue":5},"resume_from":"c2"}}',
      '{"id":1,"method":"newPairSubscribe","params":{"include_pumpfun":true,"resume_from":"c2"}}',
    ])
  })

  it('resumes a subscription without events after the newest block, and one of early events from now on', () => {
    const { session, starts, resumes, opens, hears, ends, sent } = aSession()
    starts('{"id":1,"method":"swapSubscribe","params":{"commitment":"processed"}}')
    opens()
    session.handle({ kind: 'send', text: '{"id":2,"method":"newPairSubscribe"}' })
    hears('{"method":"latestBlockNotification","params":{"block":9},"cursor":"c9"}')
    ends(1006)
    resumes()
    opens()

    expect(sent.slice(-2)).toEqual([
      '{"id":2,"method":"swapSubscribe","params":{"commitment":"processed"}}',
      '{"id":1,"method":"newPairSubscribe","params":{"resume_from":"c9"}}',
    ])
  })

  it('keeps what can be resumed while the service cannot be reached', () => {
    const { starts, resumes, opens, hears, ends, fails, reports } = aSession()
    starts(SWAPS)
    opens()
    hears(aSwap('c1'))
    ends(1006)
    resumes()
    fails()
    ends(1006)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: ['swap'] })
  })

  it('does not resume what was refused or ended by the person', () => {
    const { session, starts, opens, hears, ends, reports, shown } = aSession()
    starts(SWAPS)
    opens()
    for (const id of [9, 1]) hears(`{"result":{"subscription_id":${id}}}`)
    hears(aSwap('c1'))
    session.handle({ kind: 'send', text: '{"id":2,"method":"newPairSubscribe"}' })
    hears('{"id":2,"error":{"code":-32602,"message":"No."}}')
    session.handle({
      kind: 'send',
      text: '{"id":3,"method":"swapUnsubscribe","params":{"subscription_id":1}}',
    })
    hears('{"id":3,"result":true}')
    shown()
    ends(1006)

    expect(reports.at(-1)).toMatchObject({ kind: 'closed', resumable: [] })
  })
})

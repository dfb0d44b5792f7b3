import { describe, expect, it } from 'vitest'
import { Recorder } from '../worker/recorder.ts'
import { ConsoleFeed } from './console-feed.ts'
import { LINGER_MS, REST_MS } from './hold.ts'
import type { TokenFace } from './token-face.ts'
import type { WorkerReport, WorkerRequest } from './worker-messages.ts'

/** A feed on a real recorder, with a clock that only moves on command and a socket that is a list. */
function aFeed(rememberedNames: readonly TokenFace[] = []) {
  let now = 1_000_000
  let timers: { at: number; act: () => void }[] = []
  const sent: WorkerRequest[] = []
  const kept: number[] = []
  const recorder = new Recorder()
  let isCut = false
  let hear: (report: WorkerReport) => void = () => {}

  const feed = new ConsoleFeed({
    clock: () => now,
    after: (ms, act) => {
      const timer = { at: now + ms, act }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    nextFrame: (act) => act(),
    isHidden: () => false,
    clockOffset: () => 0,
    askNames: async () => [],
    rememberedNames,
    keep: (recording) => kept.push(recording.frames),
    createWorker: (listener) => {
      hear = listener
      return { post: isCut ? () => {} : post, terminate: () => {} }
    },
  })
  const frame = (text: string) => recorder.take(text, now)
  return { feed, sent, kept, swaps, frame, pass, report: (told: WorkerReport) => hear(told), cutWorker }

  /** Whether workers that are created from now on never get their code. */
  function cutWorker(is: boolean) {
    isCut = is
  }

  function post(request: WorkerRequest) {
    sent.push(request)
    if (request.kind === 'open') recorder.started(now)
    if (request.kind === 'filter') recorder.filter(request.filter)
    if (request.kind === 'note') recorder.note(request.reading, now)
    if (request.kind === 'clear') recorder.clear(now)
    if (request.kind === 'undo') recorder.undo(now)
    if (request.kind !== 'pull') return
    // As between a worker and its page.
    hear({ kind: 'snapshot', snapshot: structuredClone(recorder.snapshot(now, request)) })
  }

  function swaps(count: number) {
    for (let index = 0; index < count; index++) {
      recorder.take('{"method":"swapNotification","params":{"swap":{"swapType":"buy"}}}', now)
    }
  }

  function pass(ms: number) {
    const until = now + ms
    for (;;) {
      const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      timers = timers.filter((timer) => timer !== next)
      now = Math.max(now, next.at)
      next.act()
    }
    now = until
  }
}

const ACCESS = { url: 'ws://127.0.0.1/', key: 'k' }

function aStreamingFeed() {
  const parts = aFeed()
  parts.feed.start(ACCESS, '{}')
  parts.report({ kind: 'open' })
  return parts
}

describe('console feed', () => {
  it('knows the tokens of the last visit before the service is asked, and passes them to the worker first', () => {
    const faces = [{ mint: 'm', symbol: 'HARB', name: 'Harbour', logo: '' }]
    const { feed, sent } = aFeed(faces)
    expect(feed.names.read('m')?.symbol).toBe('HARB')

    feed.start(ACCESS, '{}')
    expect(sent[0]).toEqual({ kind: 'name', faces })
  })

  it('opens with the request as typed', () => {
    const { feed, sent } = aFeed()

    feed.start(ACCESS, '  {"a" :1} \n')

    expect(sent[0]).toEqual({ kind: 'open', url: 'ws://127.0.0.1/', key: 'k', request: '  {"a" :1} \n' })
    expect(feed.read().connection).toBe('connecting')
  })

  it('marks rows that are taken back, without moving them', () => {
    const { feed, frame, pass } = aStreamingFeed()
    const params = '"params":{"signature":"gone","swap":{"swapType":"buy"}}'
    frame(`{"method":"swapNotification","commitment":"processed",${params}}`)
    pass(1_000)
    feed.pause()
    frame('{"method":"slotDroppedNotification","params":{"slot":7,"signatures":["gone"]}}')
    frame('{"method":"swapNotification","params":{"swap":{"swapType":"sell"}}}')
    pass(1_000)

    expect(feed.read().rows.map(({ id, isTakenBack }) => [id, isTakenBack])).toEqual([[1, true]])
  })

  it('asks to log in when there is no session', () => {
    const { feed, sent } = aFeed()

    feed.start(undefined, '{}')

    expect(sent.some((request) => request.kind === 'open')).toBe(false)
    expect(feed.read().rows.map((row) => row.reading)).toMatchObject([
      { words: 'Please log in to start the stream...' },
    ])
    expect(feed.read().connection).toBe('stopped')
  })

  it('shows new rows a few times a second, at most a hundred', () => {
    const { feed, swaps, pass } = aStreamingFeed()

    swaps(30)
    pass(300)
    expect(feed.read().rows).toHaveLength(30)

    swaps(500)
    pass(300)
    expect(feed.read().rows).toHaveLength(100)
    expect(feed.read().rows[0]!.id).toBe(530)
    expect(feed.read().received).toBe(530)
  })

  it('holds still under a resting pointer, counts newer rows, and catches up afterwards', () => {
    const { feed, swaps, pass } = aStreamingFeed()
    swaps(3)
    pass(300)
    const before = feed.read().rows

    feed.setHold('point', true)
    pass(REST_MS + 1)
    swaps(1_204)
    pass(1_000)
    expect(feed.read().rows).toBe(before)
    expect([feed.read().newer, feed.read().received]).toEqual([1_204, 1_207])

    feed.setHold('point', false)
    pass(LINGER_MS + 2)
    expect(feed.read().hold.isHeld).toBe(false)
    expect(feed.read().rows[0]!.id).toBe(1_207)
  })

  it('stays paused until resumed', () => {
    const { feed, swaps, pass } = aStreamingFeed()
    feed.pause()
    swaps(5)
    pass(60_000)
    expect(feed.read().rows).toEqual([])

    feed.resume()

    expect(feed.read().rows).toHaveLength(5)
  })

  it('does not hold a list that nothing moves', () => {
    const { feed, pass } = aFeed()

    feed.setHold('point', true)
    pass(1_000)

    expect(feed.read().hold.isHeld).toBe(false)
  })

  it('asks no more once the connection has closed', () => {
    const { feed, sent, report, pass } = aStreamingFeed()

    report({ kind: 'closed', isStopped: false, reason: '', resumable: [] })
    const asked = sent.length
    pass(60_000)

    expect(sent.length).toBe(asked)
    expect(feed.read().connection).toBe('closed')
  })

  it('never opens a second connection, nor one by itself', () => {
    const { feed, sent, report, pass } = aStreamingFeed()
    feed.start(ACCESS, '{}')
    report({ kind: 'closed', isStopped: false, reason: '', resumable: [] })
    pass(60_000)

    expect(sent.filter((request) => request.kind === 'open')).toHaveLength(1)
  })

  it('reports what can be resumed after a break, and resumes on request', () => {
    const { feed, sent, report, pass } = aStreamingFeed()
    const opened = () =>
      sent.flatMap((request) => (request.kind === 'open' ? [request.resumes ?? false] : []))

    report({ kind: 'closed', isStopped: false, reason: '', resumable: ['swap'] })
    pass(60_000)
    expect([feed.read().resumable, opened()]).toEqual([['swap'], [false]])

    feed.start(ACCESS, '{}', true)
    expect(opened()).toEqual([false, true])
    report({ kind: 'closed', isStopped: false, reason: '', resumable: [] })
    expect(feed.read().resumable).toEqual([])
  })

  it('keeps an error until it is dismissed, and never shows it again', () => {
    const { feed, pass } = aFeed()
    feed.start(undefined, '{}')
    pass(1_000)
    const standing = feed.read().error

    feed.dismiss()
    feed.choose({ kind: 'message', text: '' })
    pass(1_000)

    expect(standing).toMatchObject({ errorType: 'noSession' })
    expect(feed.read().error).toBeUndefined()
  })

  it('filters nothing again when the current filter is chosen again', () => {
    const { feed, sent, swaps, pass } = aStreamingFeed()
    swaps(3)
    pass(300)
    const rows = feed.read().rows

    feed.choose({ kind: 'all', text: '' })
    feed.choose({ kind: 'sell', text: '' })
    feed.choose({ kind: 'sell', text: '' })

    expect([rows.length, feed.read().rows.length]).toEqual([3, 0])
    expect(sent.filter(({ kind }) => kind === 'filter')).toHaveLength(1)
  })

  it('calls a connection that the person ends stopped, and any other closed', () => {
    const { feed, report } = aStreamingFeed()
    report({ kind: 'closed', isStopped: true, reason: '', resumable: [] })
    const stopped = feed.read().connection
    feed.start(ACCESS, '{}')
    report({ kind: 'closed', isStopped: false, reason: '', resumable: [] })

    expect([stopped, feed.read().connection]).toEqual(['stopped', 'closed'])
  })

  it('restarts only after the old connection is gone, and not when Stop is pressed in between', () => {
    const { feed, sent, report } = aStreamingFeed()
    const opens = () => sent.filter(({ kind }) => kind === 'open').length
    feed.restart(ACCESS, '{}')
    const before = opens()
    report({ kind: 'closed', isStopped: true, reason: '', resumable: [] })
    const after = opens()

    report({ kind: 'open' })
    feed.restart(ACCESS, '{}')
    feed.stop()
    report({ kind: 'closed', isStopped: true, reason: '', resumable: [] })

    expect([before, after, opens()]).toEqual([1, 2, 2])
  })

  it('starts again after its code could not be downloaded, and shows errors again', () => {
    const { feed, sent, frame, pass, report, cutWorker } = aFeed()
    cutWorker(true)
    feed.start(ACCESS, '{}')
    report({ kind: 'unloaded' })
    expect(feed.read().connection).toBe('closed')
    feed.dismiss()

    cutWorker(false)
    feed.start(ACCESS, '{}')
    report({ kind: 'open' })
    frame('{"id":1,"error":{"code":-32602,"message":"No."}}')
    pass(200)

    expect(sent.filter(({ kind }) => kind === 'open')).toHaveLength(1)
    expect(feed.read()).toMatchObject({ connection: 'streaming', error: { words: 'No.' } })
  })

  it('counts the rows that a filter or a clear leaves, also while it is paused', () => {
    const { feed, swaps, pass } = aStreamingFeed()
    const counts = () => [feed.read().rows.length, feed.read().kept, feed.read().kinds.buy]
    swaps(3)
    pass(300)
    feed.pause()
    swaps(2)
    pass(300)
    expect(counts()).toEqual([3, 3, 3])

    feed.choose({ kind: 'all', text: 'nothing has this' })
    pass(300)
    expect(counts()).toEqual([0, 5, 0])
    feed.choose({ kind: 'buy', text: '' })
    pass(300)
    expect(counts()).toEqual([5, 5, 5])

    feed.clear()
    pass(300)
    expect(counts()).toEqual([0, 0, 0])
  })

  it('saves a recording however it ends', () => {
    const { feed, sent, kept, report } = aStreamingFeed()
    feed.record(true)
    report({ kind: 'recorded', file: new Blob([]), frames: 7, isFull: true })

    expect(sent).toContainEqual({ kind: 'record', on: true })
    expect([kept, feed.read().recording]).toEqual([[7], undefined])
  })

  it('lets a clear be undone for five seconds', () => {
    const { feed, swaps, pass } = aStreamingFeed()
    swaps(3)
    pass(300)

    feed.clear()
    pass(200)
    expect([feed.read().rows.length, feed.read().received, feed.read().canUndo]).toEqual([0, 0, true])
    feed.undo()
    pass(200)
    expect([feed.read().rows.length, feed.read().received, feed.read().canUndo]).toEqual([3, 3, false])

    feed.clear()
    pass(5_001)
    expect(feed.read().canUndo).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { blockOf, createSdkUnderTest, cursorOf, type FakeSocket } from '../testing/fake-sockets.ts'

describe('a stream that begins now beside one that resumes', () => {
  const blockSubscribes = (socket: FakeSocket) =>
    socket.sent.flatMap(({ method, params }) =>
      method === 'latestBlockSubscribe' ? (params.resume_from ?? 'now') : [],
    )
  /** Sends a block to the newest subscription to blocks, whose id is given. */
  const block = (socket: FakeSocket, subscription_id: number, slot: number) =>
    socket.says({
      ...{ subscription_id, method: 'latestBlockNotification', cursor: blockOf(slot) },
      params: { block: slot, blockTime: 1 },
    })

  it('begins at the first block from now on, also when it joins while old blocks come', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const swaps = pairwire.swaps({}, { from: cursorOf(5) }).on('event', () => {})
    const socket = await connect()
    block(socket, 2, 6)
    const pairs = pairwire.newPairs().on('event', () => {})
    block(socket, 2, 7)
    socket.answers()
    expect([swaps.cursor, pairs.cursor]).toEqual([blockOf(6), null])

    block(socket, 4, 90)
    socket.answers()
    block(socket, 5, 7)

    expect(blockSubscribes(socket)).toEqual([cursorOf(5), 'now', blockOf(6)])
    expect([swaps.cursor, pairs.cursor]).toEqual([blockOf(7), blockOf(90)])
  })

  it('takes no block from a resuming stream of blocks, and gets none of its old ones', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const told: unknown[] = []
    pairwire.blocks({ from: blockOf(5) }).on('event', ({ block }) => told.push(block))
    const pairs = pairwire.newPairs().on('event', () => {})
    const socket = await connect()

    block(socket, 2, 90)
    socket.answers()
    for (const slot of [6, 90, 91]) block(socket, 3, slot)

    expect(blockSubscribes(socket)).toEqual(['now', blockOf(5)])
    expect([told, pairs.cursor]).toEqual([[6, 90, 91], blockOf(91)])
  })

  it('hands out no old block if it is of blocks', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const told: unknown[] = []
    pairwire.swaps({}, { from: cursorOf(5) }).on('event', () => {})
    const socket = await connect()
    pairwire.blocks().on('event', ({ block }) => told.push(block))
    block(socket, 2, 6)
    socket.answers()

    block(socket, 3, 90)
    socket.answers()
    for (const slot of [7, 90, 91]) block(socket, 4, slot)

    expect(told).toEqual([90, 91])
  })

  it('that waits until it may subscribe holds up no other, and begins then', async () => {
    const { pairwire, clock, sockets } = createSdkUnderTest()
    const swaps = pairwire.swaps({}, { from: cursorOf(5) }).on('event', () => {})
    const pairs = pairwire.newPairs().on('event', () => {})
    await clock.pass(0)
    const socket = sockets[0]!
    socket.opens()
    socket.refuses('newPairSubscribe', 'TOO_MANY_REQUESTS', -32_029)
    socket.answers('newPairSubscribe')
    block(socket, 2, 90)
    socket.answers()
    block(socket, 3, 6)
    expect([swaps.cursor, pairs.cursor]).toEqual([blockOf(6), null])

    await clock.pass(1_000)
    block(socket, 3, 7)
    socket.answers()
    block(socket, 5, 91)
    socket.answers()

    expect(blockSubscribes(socket)).toEqual(['now', cursorOf(5), 'now', blockOf(6)])
    expect([swaps.cursor, pairs.cursor]).toEqual([blockOf(6), blockOf(91)])
  })

  it('asks for the blocks once if it is ahead of confirmation: it has no place', async () => {
    const { pairwire, connect } = createSdkUnderTest()
    const pairs = pairwire.newPairs({}, { from: cursorOf(5) }).on('event', () => {})
    pairwire.swaps({ commitment: 'processed' }).on('event', () => {})
    const socket = await connect()
    for (const slot of [6, 7]) block(socket, 3, slot)

    expect(blockSubscribes(socket)).toEqual([cursorOf(5)])
    expect(pairs.cursor).toBe(blockOf(7))
  })

  it('goes on where it began when the connection breaks before the blocks follow the other', async () => {
    const { pairwire, connect, clock } = createSdkUnderTest()
    pairwire.swaps({}, { from: cursorOf(5) }).on('event', () => {})
    pairwire.newPairs().on('event', () => {})
    const socket = await connect()
    block(socket, 3, 90)
    socket.closes(1006)
    await clock.pass(500)

    expect((await connect()).sent.map(({ params }) => params.resume_from)).toEqual([
      ...[cursorOf(5), blockOf(90), cursorOf(5)],
    ])
  })
})

import { Duplex } from 'node:stream'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createRate, type Rate } from '../rates/rate.ts'
import { clientFrame } from '../testing/client-frame.ts'
import { Intake } from './intake.ts'

/** Small figures: a frame counts 10 bytes on top of its payload, a turn has room for five frames of 10. */
const LIMITS = { turnBytes: 100, frameReadingBytes: 10, readingAfterRest: 40 }

const clock = createManualClock()
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const immediately = (change: () => void) => change()
const plenty = () => createRate(clock, 1, 1_000_000)

/** A socket in memory. What is read from it is kept, as the texts of its frames. */
function openSocket(intake: Intake, reading: Rate) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const read: string[] = []
  let isPaused = false
  socket.on('data', (piece: Buffer) => {
    if (piece.length > 6) read.push(piece.toString('utf8', 6))
  })
  const ws = {
    pause() {
      isPaused = true
      socket.pause()
    },
    resume() {
      isPaused = false
      socket.resume()
    },
  }
  const inlet = intake.open(ws as Parameters<Intake['open']>[0], socket, reading)
  return {
    read,
    inlet,
    socket,
    isPaused: () => isPaused,
    send: (...texts: string[]) => socket.push(Buffer.concat(texts.map((text) => frameOf(text)))),
  }
}

/** A frame that costs 20. */
function frameOf(text: string): Buffer {
  return clientFrame(Buffer.from(text.padEnd(10, '.')))
}

const texts = (read: readonly string[]) => read.map((text) => text.replaceAll('.', ''))

describe('intake', () => {
  it('reads at once while there is room, frame by frame', async () => {
    const { read, send, isPaused } = openSocket(new Intake(clock, LIMITS, immediately), plenty())

    send('a', 'b')
    await nextTurn()
    send('c')
    await nextTurn()

    expect(texts(read)).toEqual(['a', 'b', 'c'])
    expect(isPaused()).toBe(false)
  })

  it('reads in each turn what fits, and pauses the sockets meanwhile', async () => {
    const intake = new Intake(clock, LIMITS, immediately)
    const sockets = [1, 2, 3].map(() => openSocket(intake, plenty()))
    const counts = () => sockets.map(({ read }) => read.length)

    for (const { send } of sockets) send(...'abcdefgh')
    await nextTurn()
    const first = counts()
    const paused = sockets.map(({ isPaused }) => isPaused())
    await nextTurn()
    const second = counts()
    for (let turn = 0; turn < 6; turn++) await nextTurn()

    // Five frames of 20 in a turn of 100, one per socket in turn.
    expect(first.reduce((sum, count) => sum + count)).toBe(5)
    expect(second.reduce((sum, count) => sum + count)).toBe(10)
    expect(Math.max(...second) - Math.min(...second)).toBeLessThanOrEqual(3)
    expect(paused).toEqual([true, true, true])
    expect(sockets.map(({ read }) => texts(read).join(''))).toEqual(['abcdefgh', 'abcdefgh', 'abcdefgh'])
    expect(sockets.map(({ isPaused }) => isPaused())).toEqual([false, false, false])
  })

  // A ping must not wait behind the floods of others.
  it('reads accounts that have spent least first', async () => {
    const intake = new Intake(clock, LIMITS, immediately)
    const flooders = Array.from({ length: 20 }, () => openSocket(intake, plenty()))
    for (const { send } of flooders) send(...'abcdefghijklmnopqrstuvwxyz')
    for (let turn = 0; turn < 20; turn++) await nextTurn()

    const client = openSocket(intake, plenty())
    const before = flooders.map(({ read }) => read.length)
    client.send('ping')
    await nextTurn()
    await nextTurn()
    const after = flooders.map(({ read }) => read.length)

    expect(texts(client.read)).toEqual(['ping'])
    // At most two turns' worth came before it.
    expect(after.reduce((sum, count, at) => sum + count - before[at]!, 0)).toBeLessThanOrEqual(10)
  })

  it('pauses all sockets of an account that has used up its reading, until there is enough again', async () => {
    const intake = new Intake(clock, { ...LIMITS, turnBytes: 1_000_000 }, immediately)
    const reading = createRate(clock, 10, 50)
    const [first, second] = [openSocket(intake, reading), openSocket(intake, reading)]

    first.send(...'abcd')
    second.send(...'xyz')
    await nextTurn()
    const atOnce = [texts(first.read).join(''), texts(second.read).join('')]
    // 10 below zero; it needs 40 before it continues.
    clock.advance(4_999)
    await nextTurn()
    const beforeTime = first.read.length
    clock.advance(1)
    await nextTurn()

    expect(atOnce).toEqual(['abc', ''])
    expect(beforeTime).toBe(3)
    expect(first.read.length + second.read.length).toBeGreaterThan(3)
    clock.advance(60_000)
    await nextTurn()
    clock.advance(60_000)
    await nextTurn()
    expect([texts(first.read).join(''), texts(second.read).join('')]).toEqual(['abcd', 'xyz'])
  })

  it('passes pieces of a frame on as they arrive', async () => {
    const { read, socket } = openSocket(new Intake(clock, LIMITS, immediately), plenty())
    const bytes = frameOf('abc')

    socket.push(bytes.subarray(0, 8))
    await nextTurn()
    socket.push(bytes.subarray(8))
    await nextTurn()

    expect(read.map((text) => text.length)).toEqual([2, 2]) // of 8 and 8 bytes, 6 are not text
  })

  it('passes nothing on after the close frame, after a fault and after the end', async () => {
    const intake = new Intake(clock, { ...LIMITS, turnBytes: 1_000_000 }, immediately)
    const [closing, faulty, ended] = [1, 2, 3].map(() => openSocket(intake, plenty()))

    closing!.socket.push(
      Buffer.concat([frameOf('a'), clientFrame(Buffer.alloc(0), { opcode: 8 }), frameOf('b')]),
    )
    faulty!.send('a')
    ended!.send('a')
    await nextTurn()
    faulty!.inlet.discard()
    ended!.inlet.stop()
    for (const { send } of [closing!, faulty!, ended!]) send('c')
    await nextTurn()

    expect([closing, faulty, ended].map((socket) => texts(socket!.read))).toEqual([['a'], ['a'], ['a']])
    expect([closing, faulty, ended].map((socket) => socket!.isPaused())).toEqual([false, false, true])
  })

  it('discards at the pace of the account too', async () => {
    const intake = new Intake(clock, { ...LIMITS, turnBytes: 1_000_000 }, immediately)
    const { socket, inlet, isPaused } = openSocket(intake, createRate(clock, 100, 1_000))
    inlet.discard()

    socket.push(Buffer.alloc(1_500))
    await nextTurn()
    socket.push(Buffer.alloc(10))
    await nextTurn()
    const paused = isPaused()
    clock.advance(6_000)
    await nextTurn()

    expect([paused, isPaused()]).toEqual([true, false])
  })
})

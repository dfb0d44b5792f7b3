import { describe, expect, it } from 'vitest'
import { createLog, createLoopLog } from './create-log.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

/** A log into memory, and the lines that it wrote. */
function createUnderTest(isTTY: boolean) {
  const lines: string[] = []
  const write = (text: string) => lines.push(text) > 0
  return { log: createLog({ write, isTTY }, () => NOON), lines }
}

describe('the log', () => {
  it('writes one line of JSON per event without a terminal', () => {
    const { log, lines } = createUnderTest(false)

    log.warn('Late.', { seconds: 9, slot: 7n })

    expect(lines).toEqual([
      '{"at":"2026-11-20T12:00:00.000Z","level":"warn","message":"Late.","seconds":9,"slot":"7"}\n',
    ])
  })

  // Guards the only fields by which lines of several programs are put in order.
  it('keeps the time, level and sentence of a line, whatever the names of its fields', () => {
    const { log, lines } = createUnderTest(false)

    log.error('A call failed.', { at: ['somewhere'], level: 'none', message: 'other', error: new Error('x') })

    const line = JSON.parse(lines[0] ?? '')
    expect(line).toMatchObject({ at: '2026-11-20T12:00:00.000Z', level: 'error', message: 'A call failed.' })
    expect(line).toMatchObject({ at_: ['somewhere'], level_: 'none', message_: 'other' })
    expect(line.error).toContain('log.test')
  })

  it('writes the time of day for a person at a terminal', () => {
    const { log, lines } = createUnderTest(true)

    log.info('Up.', { port: 8080 })
    log.error('Down.')

    expect(lines).toEqual(['12:00:00 Up.  port=8080\n', '12:00:00 error: Down.\n'])
  })

  // Guards the operator's terminal against an endpoint's answers.
  it('lets nothing control that terminal or start a line there, except the stack of an error', () => {
    const { log, lines } = createUnderTest(true)

    log.warn('It says: x\n12:00:00 All is well\u001b[2J\u009b0m', { said: '\r\u0007', error: new Error('y') })

    expect(lines[0]).toContain(
      'It says: x\\x0a12:00:00 All is well\\x1b[2J\\x9b0m  said=\\x0d\\x07 error=Error: y\n    at ',
    )
  })
})

describe('the log of a loop', () => {
  it('gives the same warning once in ten minutes, and everything else each time', () => {
    const { log, lines } = createUnderTest(true)
    let elapsedMs = 0
    const loopLog = createLoopLog(log, () => elapsedMs)
    const turn = () => {
      loopLog.warn('The queue could not be read.', { error: new Error('away'), stack: ['a', 'b'], size: 7n })
      loopLog.warn('The queue could not be read.', { error: new Error('refused') })
      loopLog.warn('Late.')
      loopLog.info('Done.')
      loopLog.error('A mail was given up.')
      return lines.splice(0).map((line) => line.slice(9, 27))
    }
    const [queue, late] = ['warn: The queue co', 'warn: Late.\n']
    const always = ['Done.\n', 'error: A mail was ']

    expect(turn()).toEqual([queue, queue, late, ...always])
    for (elapsedMs = 60_000; elapsedMs < 10 * 60_000; elapsedMs += 60_000) expect(turn()).toEqual(always)
    expect(turn()).toEqual([queue, queue, late, ...always])
  })

  // Guards the operator's view of an outage that follows soon after another one.
  it('gives a warning again after two minutes without it', () => {
    const { log, lines } = createUnderTest(true)
    let elapsedMs = 0
    const loopLog = createLoopLog(log, () => elapsedMs)
    const failAt = (seconds: number) => {
      elapsedMs = seconds * 1_000
      loopLog.warn('The database is away.')
      return lines.length
    }

    expect([0, 60, 120].map(failAt)).toEqual([1, 1, 1])
    expect([240, 300].map(failAt)).toEqual([2, 2])
  })
})

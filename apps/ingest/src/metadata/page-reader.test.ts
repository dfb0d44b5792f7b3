import { setMaxListeners } from 'node:events'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { createPageReader, READ_AT_A_TIME, READ_OF_A_HOST } from './page-reader.ts'

const PAGE = Buffer.from('{"image":"https://a.example/1.png"}')

/** A reader of hosts that answer at once or fail, or, when their name begins with `hang`, take two seconds. */
function aReader() {
  const clock = createManualClock(Date.UTC(2026, 10, 20))
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const asked: string[] = []
  const read = new Map<string, number>()
  const givenUp: string[] = []
  const empty: string[] = []
  const reader = createPageReader({
    fetchPage: async ({ hostname, pathname }) => {
      asked.push(pathname.slice(1))
      if (hostname.startsWith('hang')) await clock.wait(2_000, abort.signal)
      if (hostname.startsWith('hang') || hostname.startsWith('fail')) throw new Error('It is not to be had.')
      return PAGE
    },
    ...{ clock, signal: abort.signal },
    onRead: (mint, _uri, page) => {
      read.set(mint, clock.elapsed())
      if (!page) empty.push(mint)
    },
    onGivenUp: (mint) => givenUp.push(mint),
  })
  return { reader, clock, asked, read, givenUp, empty, abort }
}

describe('the reader of pages', () => {
  // Guards the names of a whole chain against a few bad hosts.
  it('reads five tokens a second at once while half of the hosts hang, with few requests open, for two minutes', async () => {
    const { reader, clock, read, givenUp } = aReader()
    const late: number[] = []
    let most = 0

    for (let number = 0; number < 600; number++) {
      const isHanging = number % 2 === 1
      const host = isHanging ? `hang${number % 20}.example` : `host${number % 20}.example`
      const began = clock.elapsed()
      reader.want(String(number), `https://${host}/${number}`, true)
      await clock.pass(200)
      if (!isHanging) late.push(read.get(String(number))! - began)
      const { reading, waiting } = reader.size()
      most = Math.max(most, reading + waiting)
    }

    expect(Math.max(...late)).toBe(0)
    expect(most).toBeLessThan(READ_AT_A_TIME)
    await clock.pass(60_000)
    expect(givenUp).toHaveLength(300)
    expect(reader.size()).toEqual({ reading: 0, waiting: 0 })
  })

  it('lets one host delay only its own pages, and limits how many of them wait', async () => {
    const { reader, clock, read, givenUp } = aReader()

    for (let number = 0; number < 2_000; number++) reader.want(`h${number}`, 'https://hang.example/', false)
    reader.want('good', 'https://good.example/', false)
    await clock.pass(0)

    expect(read.has('good')).toBe(true)
    expect(reader.size()).toEqual({ reading: READ_OF_A_HOST, waiting: 499 })
    expect(givenUp).toHaveLength(2_000 - 499 - READ_OF_A_HOST)
  })

  it('reads urgent pages first, and the newest of them', async () => {
    const { reader, clock, asked } = aReader()
    for (let number = 0; number < READ_OF_A_HOST; number++) reader.want('x', 'https://hang.example/x', true)

    for (const name of ['old', 'new']) reader.want(name, `https://hang.example/${name}`, true)
    reader.want('trade', 'https://hang.example/trade', false)
    await clock.pass(2_000)

    expect(asked.slice(READ_OF_A_HOST)).toEqual(['new', 'old', 'trade'])
  })

  it('retries a page after 2, 8 and 20 seconds, then gives up', async () => {
    const { reader, clock, asked, givenUp } = aReader()

    reader.want('a', 'https://fail.example/a', true)
    for (const [retry, ms] of [2_000, 8_000, 20_000].entries()) {
      await clock.pass(ms - 1)
      expect(asked).toHaveLength(retry + 1)
      await clock.pass(1)
    }

    expect(asked).toHaveLength(4)
    expect(givenUp).toEqual(['a'])
  })

  it.each(['http://a.example/1.json', 'https://127.0.0.1:8080/', 'data:,{}', ''])(
    'sends no request for %j, which is no page',
    async (uri) => {
      const { reader, asked, empty } = aReader()

      reader.want('a', uri, true)

      expect(asked).toEqual([])
      expect(empty).toEqual(['a'])
    },
  )
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { ARCHIVE_PAGE_BYTES, eventsOfText, type PageAsk, type StreamEvent } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aKeptHour } from '../testing/a-kept-hour.ts'
import { aStreamBlock, aStreamGap, ONE_O_CLOCK } from '../testing/a-stream.ts'
import { anEngine } from '../testing/an-engine.ts'
import { HourPages } from './hour-pages.ts'
import { LocalFiles } from './local-files.ts'

const engine = anEngine(createManualClock())
const folder = mkdtempSync(join(tmpdir(), 'pairwire-pages-'))
afterAll(() => {
  engine.close()
  rmSync(folder, { recursive: true, force: true })
})

const SWAPS = Array.from({ length: 30 }, () => ({}))

/** More than three pages: blocks full and empty, pairs with odd names, a gap, and a block whose time steps back. */
const BLOCKS = [
  ...Array.from({ length: 80 }, (_, at) =>
    aStreamBlock(at + 1, {
      swaps: at % 7 === 3 ? [] : SWAPS,
      pairs: at % 9 === 4 ? ['Ünïcode 😀 ","swap":{ "cursor":"7" \u0000"'] : [],
      ...(at === 40 ? { blockTime: ONE_O_CLOCK - 5 } : {}),
    }),
  ),
  [aStreamGap(81, 84)],
  ...Array.from({ length: 20 }, (_, at) => aStreamBlock(85 + at, { swaps: SWAPS })),
]

let hour: Awaited<ReturnType<typeof aKeptHour>>
let published: StreamEvent[]
beforeAll(async () => {
  hour = await aKeptHour(folder, BLOCKS, engine)
  // Block hashes are for the proof, and not sent.
  published = BLOCKS.flat().map((event) => {
    const { blockhash: _own, parentBlockhash: _parent, ...sent } = event as Record<string, unknown>
    return sent as StreamEvent
  })
})

const aReader = () => {
  const files = new LocalFiles(hour.archive, join(folder, 'kept'))
  return new HourPages({ archive: hour.archive, engine, files })
}
const ask = (change: Partial<PageAsk> = {}): PageAsk => ({
  ...{ source: 'chain', hour: '20261123-130000', after: null },
  ...change,
})

/** All pages from one on, as events, and the length of each. */
async function readFrom(pages: HourPages, first: PageAsk) {
  const events: StreamEvent[] = []
  const bytes: number[] = []
  for (let next = first; ; next = ask({ after: events.at(-1)!.cursor })) {
    const page = await pages.page(next)
    if (page.outcome !== 'page') throw new Error(page.outcome)
    bytes.push(Buffer.byteLength(page.events))
    events.push(...eventsOfText(page.events))
    if (page.isLast) return { events: events.map((event) => JSON.parse(JSON.stringify(event))), bytes }
  }
}

describe('pages of an hour', () => {
  it('have every event, block and gap as published, in order', async () => {
    const pages = aReader()

    const { events, bytes } = await readFrom(pages, ask())
    await pages.close()

    expect(events).toEqual(published)
    expect(bytes.length).toBeGreaterThan(3)
    expect(Math.max(...bytes)).toBeLessThanOrEqual(ARCHIVE_PAGE_BYTES)
  })

  it('continue after any cursor: of an event, a block, a gap or between two', async () => {
    const pages = aReader()
    const places = [0, 1, 30, 31, 500, 1_234, published.length - 700, published.length - 2]

    for (const at of places) {
      const place = published[at]!.cursor
      expect((await readFrom(pages, ask({ after: place }))).events).toEqual(published.slice(at + 1))
      const between = `${place.slice(0, -1)}1`
      expect((await readFrom(pages, ask({ after: between }))).events[0]).toEqual(published[at + 1])
    }
    await pages.close()
    expect(await aReader().page(ask({ after: published.at(-1)!.cursor }))).toMatchObject({ isLast: true })
  })

  it('begin with the first block that reaches a time, and are empty if none does', async () => {
    const pages = aReader()

    const page = await readFrom(pages, ask({ from: ONE_O_CLOCK + 50 }))
    const beyond = await readFrom(pages, ask({ from: ONE_O_CLOCK + 3_599 }))
    await pages.close()

    expect(page.events).toEqual(published.filter(({ cursor }) => Number(cursor.split('-')[1]) >= 50))
    expect(beyond.events).toEqual([])
  })

  it('continue where the last one ended: the zip is opened once, the manifest comes from the list', async () => {
    const pages = aReader()
    const first = await pages.page(ask())
    hour.opened.length = 0
    hour.asked.length = 0

    const last = first.outcome === 'page' ? eventsOfText(first.events).at(-1)! : undefined
    const { events } = await readFrom(pages, ask({ after: last!.cursor }))
    await pages.close()

    expect(events.length).toBeGreaterThan(1_000)
    expect(hour.opened).toEqual([])
    expect(hour.asked).toEqual([])
  })

  it('exist for an hour that is not in the list yet', async () => {
    const files = new LocalFiles(hour.archive, join(folder, 'kept'))
    const archive = { ...hour.archive, list: async () => [] }

    const { events } = await readFrom(new HourPages({ archive, engine, files }), ask())

    expect(events).toEqual(published)
  })

  it('do not exist for a missing hour', async () => {
    expect(await aReader().page(ask({ hour: '20261123-140000' }))).toEqual({ outcome: 'missing' })
    expect(await aReader().page(ask({ source: 'simulator' }))).toEqual({ outcome: 'missing' })
  })
})

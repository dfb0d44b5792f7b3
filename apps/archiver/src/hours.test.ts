import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StorageAwayError } from '@pairwire/archive'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import type { Manifest } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import type { HourToMake } from './engine/messages.ts'
import { Hours, type HoursOptions } from './hours.ts'
import { Spooler } from './spool/spooler.ts'
import { aFolder } from './testing/a-folder.ts'
import { aManifest } from './testing/a-manifest.ts'
import { aStreamBlock, ONE_O_CLOCK } from './testing/a-stream.ts'

/** Spools of the hours from 12 o'clock on, as a stream leaves them. */
async function spools(hours: number, folder = aFolder()): Promise<string[]> {
  const ended: string[] = []
  const spooler = new Spooler({
    folder,
    source: 'chain',
    made: 'stream',
    ended: (spool) => void ended.push(spool),
  })
  await spooler.open()
  for (let hour = 0; hour <= hours; hour++) {
    await spooler.append(aStreamBlock(hour, { blockTime: ONE_O_CLOCK + (hour - 1) * 3_600 }))
  }
  await spooler.close()
  return ended
}

const nameOf = (spool: string) => spool.slice(-15)

/** Hours whose engine writes a word into each file, with lists of what was published, logged and requested. */
function setUp(change: Partial<HoursOptions> & { fails?: (hour: string) => Error | undefined } = {}) {
  const clock = createManualClock()
  const [published, made, told]: string[][] = [[], [], []]
  const log = (sentence: string) => void told!.push(sentence)
  const state = { isAway: false, hasRoom: true }
  const hours = new Hours({
    source: 'chain',
    clock,
    log: { info: () => {}, warn: log, error: log },
    hasRoom: () => state.hasRoom,
    engine: {
      async ask(_ask, { spool, files }: HourToMake) {
        const fault = change.fails?.(nameOf(spool))
        if (fault) throw fault
        for (const path of Object.values(files)) writeFileSync(path, 'word')
        made!.push(nameOf(spool))
        return aManifest({ hour: nameOf(spool) })
      },
    },
    archive: {
      find: async () => undefined,
      async publish(paths, manifest) {
        if (state.isAway) throw new StorageAwayError(new Error('no route'))
        expect(Object.values(paths).map((path) => readFileSync(path, 'utf8'))).toEqual([
          'word',
          'word',
          'word',
          'word',
        ])
        published!.push(manifest.hour)
        return manifest
      },
    },
    ...change,
  })
  return { hours, clock, published: published!, made: made!, told: told!, state }
}

const [NOON, ONE, TWO] = ['20261123-120000', '20261123-130000', '20261123-140000']

describe('finished hours', () => {
  it('are made and published in order, and leave nothing behind', async () => {
    const folder = aFolder()
    const { hours, published } = setUp()

    for (const spool of await spools(3, folder)) hours.add(spool)
    await hours.settled()

    expect(published).toEqual([NOON, ONE, TWO])
    expect(readdirSync(folder)).toHaveLength(1)
    expect(hours.stats()).toMatchObject({ waiting: [], waitingUploads: 0, failures: 0 })
  })

  it('wait as files while the storage is away, and are published in order once it is back', async () => {
    const { hours, published, made, told, clock, state } = setUp()
    state.isAway = true
    const [first, ...others] = await spools(3)
    for (const spool of [first!, ...others]) hours.add(spool)
    await hours.settled()
    await clock.pass(60_000)
    const { waitingUploads } = hours.stats()
    const isSpooled = existsSync(join(first!, 'events.ndjson'))

    state.isAway = false
    await clock.pass(30_000)
    await hours.settled()

    expect({ made, waitingUploads, isSpooled, told }).toEqual({
      ...{ made: [NOON, ONE, TWO], waitingUploads: 3, isSpooled: false },
      told: ['The archive cannot be reached; finished hours wait.'],
    })
    expect(published).toEqual([NOON, ONE, TWO])
  })

  it('do not wait for an hour that failed three times, which is tried again at the next start', async () => {
    const found = await spools(2)
    const first = setUp({ fails: (hour) => (hour === NOON ? new Error('no such column') : undefined) })
    for (const spool of found) first.hours.add(spool)
    await first.hours.settled()
    for (let retry = 0; retry < 5; retry++) {
      await first.clock.pass(30_000)
      await first.hours.settled()
    }
    const again = setUp({ fails: () => new Error('still') })
    again.hours.add(found[0]!)
    await again.hours.settled()
    const healed = setUp()
    healed.hours.add(found[0]!)
    await healed.hours.settled()

    expect(first.published).toEqual([ONE])
    expect(first.hours.stats()).toMatchObject({ stuck: [NOON], failures: 3, waiting: [NOON] })
    expect(again.hours.stats()).toMatchObject({ stuck: [NOON], failures: 1 })
    expect(healed.published).toEqual([NOON])
  })

  it('are made once the disk has room again that a failed attempt took', async () => {
    const [spool] = await spools(1)
    const partial = join(spool!, '.files')
    let fails = true
    const { hours, clock, published } = setUp({
      hasRoom: () => !existsSync(partial), // as a disk on which only that fits
      fails: () => (fails ? new Error('no space left on device') : undefined),
    })
    hours.add(spool!)
    await hours.settled()

    fails = false
    for (let wait = 0; wait < 2; wait++) {
      await clock.pass(30_000)
      await hours.settled()
    }

    expect(published).toEqual([NOON])
  })

  it('are made although a killed attempt left the disk full', async () => {
    const [spool] = await spools(1)
    const partial = join(spool!, '.files')
    mkdirSync(partial)
    const { hours, published } = setUp({ hasRoom: () => !existsSync(partial) })

    hours.add(spool!)
    await hours.settled()

    expect(published).toEqual([NOON])
  })

  it('are not made while the disk is full, and are once it has room', async () => {
    const { hours, published, clock, state } = setUp()
    state.hasRoom = false
    hours.add((await spools(1))[0]!)
    await hours.settled()
    const before = [...published]

    state.hasRoom = true
    await clock.pass(10_000)
    await hours.settled()

    expect([before, published]).toEqual([[], [NOON]])
    expect(hours.stats().failures).toBe(0)
  })

  it.each([
    ['is complete', true, [], []],
    ['is not, and neither is ours', false, [], []],
  ])(
    'are not made again if the archive has one that %s',
    async (_what, complete, wantedMade, wantedPublished) => {
      const { hours, made, published } = setUp({
        archive: {
          find: async () => aManifest({ complete }),
          publish: async () => expect.fail('was published'),
        },
      })
      const [spool] = await spools(1)

      hours.add(spool!)
      await hours.settled()

      expect([made, published]).toEqual([wantedMade, wantedPublished])
      expect(existsSync(spool!)).toBe(false)
    },
  )

  it('are made and published anyway if only ours is complete, or if forced', async () => {
    const incomplete = {
      find: async () => aManifest({ complete: false }),
      publish: async (_: unknown, own: Manifest) => own,
    }
    const better = setUp({ archive: incomplete })
    const forced = setUp({ archive: { ...incomplete, find: async () => aManifest() }, isForced: true })
    const [, second] = await spools(2)
    const [first] = await spools(1)

    better.hours.add(second!)
    forced.hours.add(first!)
    await Promise.all([better.hours.settled(), forced.hours.settled()])

    expect([better.made, forced.made]).toEqual([[ONE], [NOON]])
  })

  it('continue from what an earlier process left', async () => {
    const found = await spools(2)
    const first = setUp()
    first.state.isAway = true
    first.hours.add(found[0]!)
    await first.hours.settled()
    mkdirSync(join(found[1]!, '.files'))
    writeFileSync(join(found[1]!, '.files', 'zip'), 'half of')

    const second = setUp()
    for (const spool of found) second.hours.add(spool)
    await second.hours.settled()

    expect([second.made, second.published]).toEqual([[ONE], [NOON, ONE]])
  })
})

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createArchive, openFolderStorage, StorageAwayError } from '@pairwire/archive'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { type Bus, createInProcessBus, openEventStore } from '@pairwire/bus'
import { openNatsBus, readNatsAddress } from '@pairwire/bus/nats'
import { startNatsServer, whyNoNatsServer } from '@pairwire/bus/testing/nats-server'
import {
  type ArchiveState,
  fileOf,
  type NotificationEvent,
  paramsText,
  type StreamEvent,
} from '@pairwire/contract'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Archiver, type ArchiverOptions } from './archiver.ts'
import { aFolder } from './testing/a-folder.ts'
import { aFullHour, aStreamBlock, ONE_O_CLOCK } from './testing/a-stream.ts'
import { anEngine } from './testing/an-engine.ts'
import { readRows, readZip } from './testing/read-files.ts'

const engine = anEngine(createManualClock())
afterAll(() => engine.close())

/** A bus that keeps some hundred events in memory, and the rest on disk. */
async function aBus() {
  const store = await openEventStore({
    ...{ folder: aFolder(), source: 'chain', retention: { milliseconds: 86_400_000, bytes: 100_000_000 } },
    ...{ now: Date.now, log: { info() {}, warn() {} } },
  })
  const bus = createInProcessBus({ maxBytes: 100_000, store })
  onTestFinished(() => bus.close())
  return { bus, store }
}

/** An archiver in a folder, with its log. Archivers of one test share an engine, which outlives them. */
async function anArchiver(bus: Bus, options: Partial<ArchiverOptions> & { root?: string } = {}) {
  const { root = aFolder(), ...rest } = options
  const clock = createManualClock()
  const told: string[] = []
  const log = {
    info: () => {},
    warn: (sentence: string) => void told.push(sentence),
    error: (sentence: string) => void told.push(sentence),
  }
  const storage = join(root, 'archive')
  mkdirSync(storage, { recursive: true })
  const archive = createArchive(await openFolderStorage(storage), clock)
  const archiver = new Archiver({
    ...{
      bus,
      archive,
      source: 'chain',
      folder: join(root, 'archiver'),
      clock,
      log,
      freeBytes: () => undefined,
    },
    engine: { ...engine, ask: (ask, question) => engine.ask(ask, question), close: () => {} },
    ...rest,
  })
  return { archiver, archive, clock, told, root, storage }
}

/** Starts the archiver, and resolves once it has all events of the bus and has made the hours it could. */
async function caughtUp(archiver: Archiver) {
  archiver.start()
  await archiver.settled()
}

/** The full hour, as an archiver that nothing disturbs makes it. */
async function undisturbed() {
  const { bus } = await aBus()
  await bus.publish(aFullHour().flat())
  const { archiver, archive } = await anArchiver(bus)
  await caughtUp(archiver)
  await archiver.stop()
  return (await archive.find('chain', '20261123-130000'))!
}

const away = async () => {
  throw new StorageAwayError(new Error('no route'))
}

/** An archive that cannot be reached. */
const awayArchive: ArchiverOptions['archive'] = {
  ...{ publish: away, find: away, list: away, findSample: away, open: away },
  localPath: () => undefined,
}

/** Whether a disk of our own can be mounted. */
const canMount = spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0

const at = (slot: number, seconds: number, change = {}) =>
  aStreamBlock(slot, { blockTime: ONE_O_CLOCK + seconds, ...change })

/** Where Linux lists the files that this process has open. */
const OPEN_FILES = '/proc/self/fd'

function openFilesIn(folder: string): string[] {
  // The descriptor of this very reading is closed before its link is read.
  const files = readdirSync(OPEN_FILES).flatMap((name) => {
    const link = join(OPEN_FILES, name)
    return lstatSync(link, { throwIfNoEntry: false }) ? [readlinkSync(link)] : []
  })
  return files.filter((file) => file.startsWith(folder))
}

async function replayed(bus: Bus, after: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const batch of bus.replay(after)) events.push(...batch)
  return events
}

describe('the archiver', () => {
  it('archives what a reader of the bus received: every event, every member, in order', async () => {
    const { bus, store } = await aBus()
    const { archiver, archive, storage } = await anArchiver(bus)
    const hour = aFullHour()
    for (const batch of hour) await bus.publish(batch)
    await store.settled()

    await caughtUp(archiver)
    await archiver.stop()

    const got = (await replayed(bus, hour[1]!.at(-1)!.cursor)).filter(
      ({ cursor }) => cursor < hour.at(-1)![0]!.cursor,
    )
    const manifest = (await archive.find('chain', '20261123-130000'))!
    const pathOf = (kind: 'zip' | 'swaps' | 'pairs' | 'blocks') =>
      join(storage, 'chain', '2026-11', fileOf(manifest, kind).name)
    const cursors = (kind: StreamEvent['kind']) =>
      got.filter((event) => event.kind === kind).map(({ cursor }) => cursor)
    const told = got.filter(
      (event): event is NotificationEvent => event.kind === 'swap' || event.kind === 'newPair',
    )
    expect(readZip(pathOf('zip')).text).toBe(
      told
        .map(
          (event) =>
            `${paramsText(event).slice(0, -1)},"cursor":"${event.cursor}","receivedAt":${event.receivedAt}}\n`,
        )
        .join(''),
    )
    for (const [kind, of] of [
      ['swaps', 'swap'],
      ['pairs', 'newPair'],
      ['blocks', 'latestBlock'],
    ] as const) {
      expect((await readRows(pathOf(kind))).map(({ cursor }) => cursor)).toEqual(cursors(of))
    }
    const blocks = await readRows(pathOf('blocks'))
    expect(blocks.map(({ slot, swaps, pairs }) => [slot, swaps, pairs])).toContainEqual([4n, 2, 2])
    expect(manifest).toMatchObject({
      ...{
        complete: false,
        gaps: [{ fromSlot: 8, toSlot: 9, cause: 'upstream' }],
        slots: { first: 3, last: 12 },
      },
      counts: { swaps: 1_204, pairs: 2, blocks: 8, nulls: 3 },
      cursors: { last: hour.at(-2)!.at(-1)!.cursor },
    })
  })

  it('continues in a later process where it stopped, and makes the same bytes', async () => {
    const { bus } = await aBus()
    const whole = await anArchiver(bus)
    const parted = await anArchiver(bus)
    const hour = aFullHour()
    await bus.publish(hour.slice(0, 4).flat())
    await caughtUp(parted.archiver)
    await parted.archiver.stop()
    await bus.publish(hour.slice(4).flat())

    const later = await anArchiver(bus, { root: parted.root })
    await Promise.all([caughtUp(later.archiver), caughtUp(whole.archiver)])
    await Promise.all([later.archiver.stop(), whole.archiver.stop()])

    const [one, other] = await Promise.all(
      [whole, later].map(({ archive }) => archive.find('chain', '20261123-130000')),
    )
    expect(other!.files).toEqual(one!.files)
  })

  it('does not disturb another archiver that writes the same hours to the same storage', async () => {
    const { bus } = await aBus()
    const first = await anArchiver(bus)
    const second = await anArchiver(bus, { archive: first.archive })
    await bus.publish(aFullHour().flat())

    await Promise.all([caughtUp(first.archiver), caughtUp(second.archiver)])
    await Promise.all([first.archiver.stop(), second.archiver.stop()])

    expect((await first.archive.find('chain', '20261123-130000'))!.revision).toBe(1)
    expect([first.told, second.told]).toEqual([[], []])
  })

  it('publishes an hour even if it cannot cache the files on its own disk', async () => {
    const { bus } = await aBus()
    const { archiver, archive, root, told } = await anArchiver(bus)
    vi.spyOn(archive, 'localPath').mockReturnValue(undefined)
    mkdirSync(join(root, 'archiver'))
    writeFileSync(join(root, 'archiver', 'kept'), 'a file in place of the folder')
    await bus.publish([at(1, -2), at(2, -1), at(3, 0), at(4, 3_600)].flat())

    await caughtUp(archiver)
    await archiver.stop()

    expect((await archive.find('chain', '20261123-130000'))!.complete).toBe(true)
    expect(archiver.figures()).toMatchObject({ waitingUploads: 0, failures: 0 })
    expect(told).toContain('The files of an hour are published, but could not be cached on this disk.')
  })

  it('records a gap when the bus has dropped the next events', async () => {
    const bus = createInProcessBus({ maxBytes: 300_000 })
    const { archiver, archive, told, clock } = await anArchiver(bus)
    await bus.publish([at(1, -2), at(2, -1), at(3, 0)].flat())
    await caughtUp(archiver)
    const many = { swaps: Array.from({ length: 500 }, () => ({})) }
    for (const slot of [4, 5, 6]) await bus.publish(at(slot, slot, many))
    await bus.publish([...at(7, 8), ...at(8, 3_600)])

    for (let pull = 0; pull < 3; pull++) {
      await clock.pass(2_000)
      await archiver.settled()
    }
    await archiver.stop()

    const manifest = (await archive.find('chain', '20261123-130000'))!
    const [gap] = manifest.gaps
    expect(gap).toMatchObject({ fromSlot: 4, cause: 'deploy' })
    expect(manifest.counts.blocks + gap!.toSlot - gap!.fromSlot + 1).toBe(5)
    expect(told).toEqual(['The stream no longer has the next events; the archive has a gap.'])
  })

  it('ends the current hour when the stream restarts', async () => {
    const { bus } = await aBus()
    const { archiver, archive, clock } = await anArchiver(bus)
    await bus.publish([...at(50_000, 0), ...at(50_001, 1)])
    await caughtUp(archiver)

    await bus.startOver()
    await bus.publish([...at(7, 3_600), ...at(8, 3_601), ...at(9, 7_200), ...at(10, 7_201)])
    for (let pull = 0; pull < 3; pull++) {
      await clock.pass(2_000)
      await archiver.settled()
    }
    await archiver.stop()

    expect((await archive.find('chain', '20261123-130000'))!.slots).toEqual({ first: 50_001, last: 50_001 })
    expect(await archive.find('chain', '20261123-140000')).toMatchObject({
      slots: { first: 8, last: 8 },
      complete: false,
    })
  })

  it('does not say that an hour is complete if the stream restarts in it', async () => {
    const { bus } = await aBus()
    const { archiver, archive, clock } = await anArchiver(bus)
    await bus.publish([...at(49_999, -2), ...at(50_000, -1), ...at(50_001, 0), ...at(50_002, 1)])
    await caughtUp(archiver)

    await bus.startOver()
    await bus.publish([...at(7, 1_800), ...at(8, 1_801)])
    await clock.pass(2_000)
    await archiver.settled()
    await archiver.stop()

    expect(await archive.find('chain', '20261123-130000')).toMatchObject({
      ...{ slots: { first: 50_001, last: 50_002 }, chain: { linked: true } },
      ...{ complete: false, gaps: [{ fromSlot: 50_003, toSlot: 50_003, cause: 'deploy' }] },
    })
  })

  it('starts again beside an hour that the restart of a stream ended and that waits for the storage', async () => {
    const { bus } = await aBus()
    const first = await anArchiver(bus, { archive: awayArchive })
    await bus.publish([...at(50_000, 0), ...at(50_001, 1)])
    await caughtUp(first.archiver)
    await bus.startOver()
    await bus.publish(at(7, 3_600))
    await first.clock.pass(2_000)
    await first.archiver.settled()
    await first.archiver.stop()

    const second = await anArchiver(bus, { root: first.root })
    await bus.publish([...at(8, 3_601), ...at(9, 7_200)])
    await caughtUp(second.archiver)
    await second.archiver.stop()

    expect(second.told).toEqual([])
    expect((await second.archive.find('chain', '20261123-130000'))!.counts.blocks).toBe(1)
    expect((await second.archive.find('chain', '20261123-140000'))!.counts.blocks).toBe(1)
  })

  it('pauses while the disk is full, says so once, and continues with nothing lost', async () => {
    const { bus } = await aBus()
    let free = 1024 ** 3 - 1
    const { archiver, archive, told, clock } = await anArchiver(bus, { freeBytes: () => free })
    await bus.publish(aFullHour().flat())
    await caughtUp(archiver)
    await clock.pass(20_000)
    const paused = await archiver.state()

    free++
    await clock.pass(10_000)
    await archiver.settled()
    const state = await archiver.state()
    await archiver.stop()

    expect(paused).toMatchObject({
      up: false,
      trouble: 'DATA_DIR: nothing is archived, because less than 1 GiB is free.',
    })
    expect(told).toEqual([paused.trouble])
    expect(state).toMatchObject({ up: true, trouble: null })
    expect((await archive.find('chain', '20261123-130000'))!.counts.swaps).toBe(1_204)
  })

  it.skipIf(!existsSync(OPEN_FILES))('leaves no file open if it stops while the disk is full', async () => {
    const { bus } = await aBus()
    let free = 1024 ** 3
    const { archiver, root, clock } = await anArchiver(bus, { freeBytes: () => free })
    for (const slot of [1, 2]) await bus.publish(aStreamBlock(slot))
    await caughtUp(archiver)
    const before = openFilesIn(root)

    free--
    await clock.pass(10_000)
    await archiver.stop()

    expect(before).toHaveLength(2)
    expect((await archiver.state()).up).toBe(false)
    expect(openFilesIn(root)).toEqual([])
  })

  it('publishes what waits for the storage although a restart finds the disk full', async () => {
    const { bus } = await aBus()
    const first = await anArchiver(bus, { archive: awayArchive })
    await bus.publish([...at(1, 0), ...at(2, 1), ...at(3, 3_600)])
    await caughtUp(first.archiver)
    await first.archiver.stop()

    const { archiver, archive } = await anArchiver(bus, {
      ...{ root: first.root, freeBytes: () => 1024 ** 3 - 1 },
    })
    await caughtUp(archiver)
    const { trouble, waitingUploads } = await archiver.state()
    await archiver.stop()

    expect(trouble).toBe('DATA_DIR: nothing is archived, because less than 1 GiB is free.')
    expect(waitingUploads).toBe(0)
    expect((await archive.find('chain', '20261123-130000'))!.counts.blocks).toBe(1)
  })

  it.skipIf(!canMount)(
    'stops within an hour when its disk takes no more, and makes the same bytes once it does',
    async () => {
      const { bus } = await aBus()
      const { archiver, archive, root, told, clock } = await anArchiver(bus)
      const disk = join(root, 'archiver')
      mkdirSync(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk])
      onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
      const filler = join(disk, 'filler')
      writeFileSync(filler, Buffer.alloc(8 * 1024 ** 2 - 200_000))
      await bus.publish(aFullHour().flat())
      await caughtUp(archiver)
      const { up, trouble } = await archiver.state()

      rmSync(filler)
      // The spool is tried again first, and then the hour before, whose files did not fit either.
      for (const ms of [10_000, 30_000]) {
        await clock.pass(ms)
        await archiver.settled()
      }
      await archiver.stop()

      expect({ up, trouble }).toEqual({
        up: false,
        trouble: 'DATA_DIR: nothing is archived, because ENOSPC: no space left on device, write.',
      })
      expect(told.filter((sentence) => sentence === trouble)).toHaveLength(1)
      const { files, chain } = await undisturbed()
      expect(await archive.find('chain', '20261123-130000')).toMatchObject({ files, chain })
    },
  )

  it('counts no failure for an hour that its stop interrupts, even while it reads the bus', async () => {
    const { bus } = await aBus()
    await bus.publish(aFullHour().flat())
    let close = () => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const ask = vi.fn(() => closed.then(() => Promise.reject(new Error('it is closed'))))
    const { archiver, told } = await anArchiver(bus, {
      engine: { ask, close },
      bus: {
        ...{
          oldestCursor: () => bus.oldestCursor(),
          newestCursor: () => bus.newestCursor(),
          answer: () => () => {},
        },
        async *replay(from) {
          yield* bus.replay(from)
          await closed
          await nextTurn()
        },
      },
    })

    archiver.start()
    await expect.poll(() => ask).toHaveBeenCalled()
    await archiver.stop()

    expect({ told, failures: archiver.figures().failures }).toEqual({ told: [], failures: 0 })
  })

  it('reports its state over the bus: how far hours are written, the sample hour, and what waits', async () => {
    const { bus } = await aBus()
    const { archiver } = await anArchiver(bus)
    const ask = async () => (await bus.request('archive.state', null, 5_000)) as ArchiveState
    await bus.publish([at(0, -2), at(1, -1), at(2, 0), at(3, 1), at(4, 3_600), at(5, 3_601)].flat())
    archiver.start()
    const begin = await ask()
    await archiver.settled()
    await bus.publish(at(15, 3_605))

    const end = await ask()
    await archiver.stop()

    expect(begin).toMatchObject({ source: 'chain', up: true, trouble: null, completeTo: null })
    expect(end).toEqual({
      ...{ source: 'chain', up: true, trouble: null, completeTo: '2026-11-23T14:00:00Z' },
      ...{ sample: '20261123-130000', lagSeconds: 0, waitingUploads: 0, failures: 0 },
    })
  })

  // Guards finding out why a trial or a playback failed: the bus says only that it did.
  it('logs once why it cannot answer, however often it is asked', async () => {
    const { bus } = await aBus()
    const { archiver, told } = await anArchiver(bus)
    archiver.start()
    await archiver.settled()

    for (let time = 0; time < 3; time++) {
      await expect(bus.request('archive.try', { hour: 'none' }, 1_000)).rejects.toThrow()
    }

    expect(told.filter((sentence) => sentence.startsWith('A request to the archive failed'))).toHaveLength(1)
    await archiver.stop()
  })

  it('archives nothing from program logs, which have no position in the chain, and says so', async () => {
    const { bus } = await aBus()
    const { archiver } = await anArchiver(bus)
    const unplaced = (events: readonly StreamEvent[]) =>
      events.map((event) => ({ ...event, unplaced: true }) as StreamEvent)
    await bus.publish([...at(1, 0), ...unplaced(at(2, 1)), ...unplaced(at(3, 3_600))])

    await caughtUp(archiver)
    const { up, trouble, completeTo } = await archiver.state()
    await archiver.stop()

    expect([up, trouble, completeTo]).toEqual([
      false,
      'The archive cannot read the stream: program logs have no position in the chain, so none of them are archived.',
      null,
    ])
  })
})

const missing = whyNoNatsServer()
if (missing) console.warn(`The archiver on NATS is not tested: ${missing}.`)

describe.skipIf(missing !== undefined)('the archiver on NATS', () => {
  /** A server, and buses of as many processes as are opened. */
  const aServer = async () => {
    const server = await startNatsServer()
    onTestFinished(() => server.stop())
    const open = async (publishes: boolean) => {
      const bus = await openNatsBus({
        ...{ address: readNatsAddress(server.url), source: 'chain', publishes },
        ...{ maxBytes: 100_000, takeOverMs: 0, log: { info() {}, warn() {} } },
        retention: { milliseconds: 86_400_000, bytes: 100_000_000 },
      })
      onTestFinished(() => bus.close())
      return bus
    }
    return { server, open }
  }

  it('archives the same hours, from an ingest in another process', async () => {
    const { open } = await aServer()
    const ingest = await open(true)
    for (const batch of aFullHour()) await ingest.publish(batch)
    await ingest.settled()

    const { archiver, archive } = await anArchiver(await open(false))
    await caughtUp(archiver)
    await archiver.stop()

    const { files, chain } = await undisturbed()
    expect(await archive.find('chain', '20261123-130000')).toMatchObject({ files, chain })
  })

  it('archives the same hours when NATS is down for a minute in the middle of one, and says so once', async () => {
    const { server, open } = await aServer()
    const ingest = await open(true)
    const hour = aFullHour()
    for (const batch of hour.slice(0, 5)) await ingest.publish(batch)
    await ingest.settled()
    const { archiver, archive, clock, told } = await anArchiver(await open(false))
    await caughtUp(archiver)

    await server.kill()
    for (const batch of hour.slice(5)) await ingest.publish(batch)
    await clock.pass(60_000)
    await vi.waitFor(() => expect(archiver.isUp()).toBe(false), { timeout: 20_000 })
    await server.start()
    const isThere = async () => {
      await clock.pass(2_000)
      await archiver.settled()
      expect(await archive.find('chain', '20261123-130000')).toBeDefined()
    }
    await vi.waitFor(isThere, { timeout: 20_000 })
    await archiver.stop()

    const { files, chain } = await undisturbed()
    expect(await archive.find('chain', '20261123-130000')).toMatchObject({ files, chain })
    expect(told).toEqual([expect.stringContaining('The archive cannot read the stream: ')])
  })
})

import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { HOUR_FILES, HOUR_MS, hourStart, type Manifest } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import type { Archive } from './archive.ts'
import { openFolderStorage } from './folder-storage.ts'
import { createArchive } from './hours.ts'
import { listed } from './storage.suite.ts'
import { type Storage, StorageAwayError } from './storage.ts'
import { aFolder, anHour } from './testing/an-hour.ts'
import { createMemoryStorage } from './testing/memory-storage.ts'

const HOUR = '20261123-130000'
const AT = hourStart(HOUR)!
const INDEX = 'simulator/2026-11/hours.json'

async function createUnderTest(now: { at: number } = { at: Date.now() }) {
  const folder = aFolder()
  const storage = await openFolderStorage(folder)
  return { folder, storage, archive: createArchive(storage, { now: () => now.at }), now }
}

/** What customers can see: the names of the hours, and whether each file in a manifest exists as described. */
async function seen(storage: Storage): Promise<{ hours: string[]; wrong: string[] }> {
  const archive = createArchive(storage, { now: Date.now })
  const manifests = await archive.list('simulator', 0, 2 ** 43)
  const wrong: string[] = []
  for (const manifest of manifests) {
    for (const [at, kind] of HOUR_FILES.entries()) {
      const file = await archive.open(manifest, kind)
      const bytes = file ? await text(file) : ''
      if (bytes.length !== manifest.files[at]!.bytes) wrong.push(manifest.files[at]!.name)
    }
  }
  return { hours: manifests.map(({ hour, revision, complete }) => `${hour} ${revision} ${complete}`), wrong }
}

/** A storage whose changes take turns with others': each asks `turn` first, which may refuse or never answer. */
function takingTurns(storage: Storage, turn: (name: string) => Promise<void>): Storage {
  const asked =
    <Args extends [string, ...unknown[]], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args) => {
      await turn(args[0])
      return call(...args)
    }
  return {
    putFile: asked((name: string, file: string) => storage.putFile(name, file)),
    putText: asked((name: string, content: string) => storage.putText(name, content)),
    readText: asked((name: string) => storage.readText(name)),
    open: asked((name: string) => storage.open(name)),
    async *list(folder) {
      await turn(folder)
      yield* storage.list(folder)
    },
    folders: asked((folder: string) => storage.folders(folder)),
    remove: asked((name: string) => storage.remove(name)),
    signedUrl: async () => undefined,
    localPath: () => undefined,
  }
}

describe('an archive', () => {
  it('has an hour once it is published, with every file unchanged', async () => {
    const { archive, storage } = await createUnderTest()
    const { paths, manifest } = anHour(HOUR)
    expect(await archive.find('simulator', HOUR)).toBeUndefined()

    const current = await archive.publish(paths, manifest)

    expect(current).toEqual(manifest)
    expect(await archive.find('simulator', HOUR)).toEqual(manifest)
    expect(await archive.find('chain', HOUR)).toBeUndefined()
    expect(await text((await archive.open(manifest, 'swaps'))!)).toBe(`swaps of ${HOUR}`)
    expect(await text((await archive.open(manifest, 'zip', { start: 0, end: 2 }))!)).toBe('zip')
    expect(manifest.files[0]!.name).toBe(`${HOUR}.${manifest.files[0]!.sha256.slice(0, 8)}.zip`)
    expect(await seen(storage)).toEqual({ hours: [`${HOUR} 1 true`], wrong: [] })
  })

  it('keeps a published hour, but replaces an incomplete one with a complete one', async () => {
    const { archive, storage } = await createUnderTest()
    const half = anHour(HOUR, { complete: false, content: 'half' })
    const other = anHour(HOUR, { complete: false, content: 'other half' })
    const whole = anHour(HOUR, { content: 'whole' })
    const second = anHour(HOUR, { content: 'second' })

    await archive.publish(half.paths, half.manifest)
    expect((await archive.publish(other.paths, other.manifest)).files).toEqual(half.manifest.files)
    expect(await archive.publish(whole.paths, whole.manifest)).toEqual({ ...whole.manifest, revision: 2 })
    expect((await archive.publish(second.paths, second.manifest)).files).toEqual(whole.manifest.files)
    expect((await archive.publish(half.paths, half.manifest)).files).toEqual(whole.manifest.files)

    expect(await seen(storage)).toEqual({ hours: [`${HOUR} 2 true`], wrong: [] })
  })

  it('replaces any hour with the next revision when forced', async () => {
    const { archive, storage } = await createUnderTest()
    const whole = anHour(HOUR)
    const half = anHour(HOUR, { complete: false, content: 'half', made: 'backfill' })
    await archive.publish(whole.paths, whole.manifest)

    const current = await archive.publish(half.paths, half.manifest, true)

    expect(current).toMatchObject({ revision: 2, complete: false, files: half.manifest.files })
    expect(await seen(storage)).toEqual({ hours: [`${HOUR} 2 false`], wrong: [] })
  })

  it('lists hours across months, oldest first, without the last', async () => {
    const { archive } = await createUnderTest()
    const hours = ['20261031-220000', '20261031-230000', '20261101-000000', '20261101-010000']
    for (const hour of hours) {
      const { paths, manifest } = anHour(hour)
      await archive.publish(paths, manifest)
    }

    const found = await archive.list('simulator', hourStart(hours[1]!)!, hourStart(hours[3]!)!)

    expect(found.map(({ hour }) => hour)).toEqual(hours.slice(1, 3))
    expect((await archive.findNewest('simulator'))?.hour).toBe(hours[3])
    expect(await archive.findNewest('chain')).toBeUndefined()
  })

  it('offers as the sample the first complete hour with a swap, in the newest month that has one', async () => {
    const { archive } = await createUnderTest()
    const counts = { swaps: 0, pairs: 1, blocks: 3, byExchange: {}, nulls: 0 }
    for (const [hour, members] of [
      ['20261010-000000', {}],
      ['20261101-000000', { complete: false }],
      ['20261101-010000', { counts }],
      ['20261101-020000', {}],
      ['20261101-030000', {}],
      ['20261201-000000', { counts }],
    ] as const) {
      const { paths, manifest } = anHour(hour, members)
      await archive.publish(paths, manifest)
    }

    expect((await archive.findSample('simulator'))?.hour).toBe('20261101-020000')
    expect(await archive.findSample('recording')).toBeUndefined()
  })

  it.each(['lost', 'damaged', 'of another writer'])(
    'rebuilds the index of a month when it is %s',
    async (how) => {
      const { archive, storage, folder, now } = await createUnderTest()
      const hours = [anHour('20261123-120000'), anHour(HOUR)]
      for (const { paths, manifest } of hours) await archive.publish(paths, manifest)
      const index = await storage.readText(INDEX)
      if (how === 'lost') rmSync(join(folder, INDEX))
      else
        await storage.putText(
          INDEX,
          how === 'damaged' ? index!.slice(0, 90) : JSON.stringify([JSON.parse(index!)[1]]),
        )

      now.at += 60_000
      const found = await archive.list('simulator', AT - HOUR_MS, AT + HOUR_MS)

      expect(found).toEqual(hours.map(({ manifest }) => manifest))
      expect(await storage.readText(INDEX)).toBe(index)
    },
  )

  it('sees within a minute what another process published, replaced or removed', async () => {
    const { archive, storage, now } = await createUnderTest()
    const other = createArchive(storage, { now: Date.now })
    const list = async () => (await archive.list('simulator', 0, 2 ** 43)).map(({ revision }) => revision)
    const half = anHour(HOUR, { complete: false })
    await other.publish(half.paths, half.manifest)
    expect(await list()).toEqual([1])

    const whole = anHour(HOUR)
    const current = await other.publish(whole.paths, whole.manifest)
    expect(await list()).toEqual([1])
    now.at += 60_000
    expect(await list()).toEqual([2])
    await other.remove(current)
    now.at += 60_000
    expect(await list()).toEqual([])
  })

  it('sees the very first hour at once, whichever process published it, even if its files were listed before', async () => {
    const { archive, storage } = await createUnderTest()
    expect(await archive.findSample('simulator')).toBeUndefined()

    const { paths, manifest } = anHour(HOUR)
    const listedBefore = takingTurns(storage, async () => void (await archive.findSample('simulator')))
    await createArchive(listedBefore, { now: Date.now }).publish(paths, manifest)

    expect((await archive.findSample('simulator'))?.hour).toBe(HOUR)
  })

  it('does not reread a manifest that is in the index', async () => {
    const { storage, archive } = await createUnderTest()
    const { paths, manifest } = anHour(HOUR)
    await archive.publish(paths, manifest)
    const names: string[] = []
    const counted = takingTurns(storage, async (name) => void names.push(name))

    await createArchive(counted, { now: Date.now }).list('simulator', AT, AT + HOUR_MS)

    expect(names).toEqual(['simulator', 'simulator/2026-11', INDEX])
  })

  it('removes an hour with all its files', async () => {
    const { archive, storage } = await createUnderTest()
    const [kept, gone] = [anHour('20261123-120000'), anHour(HOUR)]
    for (const { paths, manifest } of [kept, gone]) await archive.publish(paths, manifest)

    await archive.remove(gone.manifest)

    expect(await archive.find('simulator', HOUR)).toBeUndefined()
    expect(await archive.open(gone.manifest, 'zip')).toBeUndefined()
    expect((await listed(storage, 'simulator')).filter(({ name }) => name.includes(HOUR))).toEqual([])
    expect(await seen(storage)).toEqual({ hours: ['20261123-120000 1 true'], wrong: [] })
  })

  it('gives up on a storage that keeps an hour that it says it has removed', async () => {
    const storage = createMemoryStorage()
    let removals = 0
    const keeping = { ...storage, remove: async () => void removals++ }
    const archive = createArchive(keeping, { now: Date.now })
    const { paths, manifest } = anHour(HOUR)
    await archive.publish(paths, manifest)
    removals = 0

    const removing = archive.remove(manifest)

    await expect(removing).rejects.toThrow(StorageAwayError)
    expect(removals).toBeLessThan(100)
  })

  it('removes objects that no manifest names after a day, and nothing else', async () => {
    const { archive, storage, folder } = await createUnderTest({ at: Date.now() })
    const [half, whole] = [anHour(HOUR, { complete: false, content: 'half' }), anHour(HOUR)]
    for (const { paths, manifest } of [half, whole]) await archive.publish(paths, manifest)
    const names = (await listed(storage, 'simulator')).map(({ name }) => name)
    await archive.removeOrphans('simulator')
    expect((await listed(storage, 'simulator')).map(({ name }) => name)).toEqual(names)

    const longAgo = new Date(Date.now() - 90_000_000)
    for (const name of names) utimesSync(join(folder, name), longAgo, longAgo)
    await archive.removeOrphans('simulator')

    expect((await listed(storage, 'simulator')).map(({ name }) => name)).toEqual(
      [...whole.manifest.files.map(({ name }) => name), `${HOUR}.json`, 'hours.json']
        .map((name) => `simulator/2026-11/${name}`)
        .sort(),
    )
  })

  it('names an hour whose manifest is damaged, finds no manifest of it, and keeps its files however old they are', async () => {
    const { archive, storage, folder } = await createUnderTest()
    const [other, hour] = [anHour('20261123-120000'), anHour(HOUR)]
    for (const { paths, manifest } of [other, hour]) await archive.publish(paths, manifest)
    const text = JSON.stringify(hour.manifest)
    const longAgo = new Date(Date.now() - 90_000_000)

    for (const damaged of ['', text.slice(0, 200), '{}', '[]', JSON.stringify(other.manifest)]) {
      await storage.putText(`simulator/2026-11/${HOUR}.json`, damaged)
      for (const { name } of await listed(storage, 'simulator'))
        utimesSync(join(folder, name), longAgo, longAgo)
      await archive.removeOrphans('simulator')

      expect(await archive.names('simulator')).toEqual(['20261123-120000', HOUR])
      expect(await archive.find('simulator', HOUR)).toBeUndefined()
    }
    await storage.putText(`simulator/2026-11/${HOUR}.json`, text)

    expect(await seen(storage)).toEqual({ hours: ['20261123-120000 1 true', `${HOUR} 1 true`], wrong: [] })
  })

  it('keeps the files of an hour that was made again for a day, however old they are', async () => {
    const { archive, folder, now } = await createUnderTest()
    const first = anHour(HOUR, { complete: false, content: 'half' })
    const current = await archive.publish(first.paths, first.manifest)
    const longAgo = new Date(Date.now() - 3 * 86_400_000)
    for (const { name } of current.files)
      utimesSync(join(folder, 'simulator/2026-11', name), longAgo, longAgo)
    const again = anHour(HOUR, { madeAt: new Date(now.at).toISOString() })
    await archive.publish(again.paths, again.manifest)

    const kept: boolean[] = []
    for (const later of [0, 86_300_000, 200_000]) {
      now.at += later
      await archive.removeOrphans('simulator')
      const zip = await archive.open(current, 'zip')
      kept.push(zip !== undefined)
      zip?.destroy()
    }

    expect(kept).toEqual([true, true, false])
  })
})

/** Covers a power cut and a storage that breaks off: a step fails or never returns, before or after its work. */
describe('an hour that is being published', () => {
  const { paths, manifest } = anHour(HOUR)

  it.each(['fails before its work', 'fails after its work', 'never returns'])(
    'is complete or absent, and complete after a second try, whichever step %s',
    async (how) => {
      const reference = await createUnderTest()
      await reference.archive.publish(paths, manifest)
      const undisturbed = await contents(reference.storage)

      let steps = Number.POSITIVE_INFINITY
      for (let broken = 0; broken < steps; broken++) {
        const { storage } = await createUnderTest()
        await breakOff(storage, how, broken)
        expect((await seen(storage)).wrong).toEqual([])

        let count = 0
        const counting = takingTurns(storage, async () => void count++)
        await createArchive(counting, { now: Date.now }).publish(paths, manifest)
        if (broken === 0) steps = count
        expect(await seen(storage)).toEqual({ hours: [`${HOUR} 1 true`], wrong: [] })
        expect(await contents(storage)).toEqual(undisturbed)
      }
      expect(steps).toBeGreaterThan(10)
    },
  )

  /** Publishes with one broken step. */
  async function breakOff(storage: Storage, how: string, broken: number): Promise<void> {
    let at = 0
    let give = () => {}
    const stuck = new Promise<void>((resolve) => {
      give = resolve
    })
    const breaking = takingTurns(storage, async () => {
      if (at++ !== broken) return
      if (how !== 'never returns') throw new StorageAwayError('broken off')
      give()
      await new Promise(() => {})
    })
    const after = how === 'fails after its work' ? failingAfter(storage, broken) : breaking
    const publishing = createArchive(after, { now: Date.now }).publish(paths, manifest)
    await Promise.race([publishing.catch(() => undefined), stuck])
  }

  /** A storage that does the work of its `broken`th change and then fails to report it. */
  function failingAfter(storage: Storage, broken: number): Storage {
    let at = 0
    const late = async (work: Promise<void>) => {
      const isBroken = at++ === broken
      await work
      if (isBroken) throw new StorageAwayError('broken off')
    }
    return {
      ...takingTurns(storage, async () => {}),
      putFile: (name, file) => late(storage.putFile(name, file)),
      putText: (name, content) => late(storage.putText(name, content)),
      remove: (name) => late(storage.remove(name)),
    }
  }

  /** Every object except indexes and offers, whose versions differ between runs. */
  async function contents(storage: Storage): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const { name } of await listed(storage, 'simulator')) {
      if (!name.endsWith('hours.json')) found[name] = (await storage.readText(name)) ?? ''
    }
    return found
  }
})

describe('two writers of one hour, one of which saw a gap,', () => {
  const whole = anHour(HOUR, { content: 'whole' })
  const half = anHour(HOUR, { complete: false, content: 'half' })

  const publishing = [half, whole].map(
    ({ paths, manifest }) =>
      (archive: Archive) =>
        archive.publish(paths, manifest),
  )

  it('leave the complete hour, in any order of their turns', async () => {
    // One writer takes any number of steps alone, then the other, and so on.
    for (let first = 0; first <= 12; first++) {
      for (let second = 0; second <= 12; second++) {
        const current = await race([first, second, 1, 2], publishing)
        expect(current).toMatchObject({ complete: true, files: whole.manifest.files })
      }
    }
  })

  it('leave the complete hour after 200 random orders of their turns', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const runs = Array.from({ length: 12 }, (_, at) => (seed * 7919 * (at + 3)) % 5)
      expect((await race(runs, publishing))?.complete).toBe(true)
    }
  })
})

describe('an hour that is removed while it is made again', () => {
  const whole = anHour(HOUR, { content: 'whole' })
  const half = anHour(HOUR, { complete: false, content: 'half' })

  it('is there with all its files or not at all, in any order of the turns', async () => {
    for (let first = 0; first <= 22; first++) {
      for (let second = 0; second <= 22; second++) {
        const storage = createMemoryStorage()
        await createArchive(storage, { now: Date.now }).publish(half.paths, half.manifest)
        await race(
          [first, second, 1, 2],
          [
            // Without its offer it fails, and is tried again later.
            (archive) => archive.publish(whole.paths, whole.manifest).catch(ifAway),
            (archive) => archive.remove(half.manifest),
          ],
          storage,
        )
      }
    }
  })
})

function ifAway(error: unknown): void {
  if (!(error instanceof StorageAwayError)) throw error
}

/** Two work; each takes as many steps in a row as the next of `runs` says, then both continue freely. */
async function race(
  runs: readonly number[],
  works: readonly ((archive: Archive) => Promise<unknown>)[],
  storage = createMemoryStorage(),
): Promise<Manifest | undefined> {
  const waiting: [(() => void)[], (() => void)[]] = [[], []]
  const isDone = [false, false]
  let isFree = false
  let wake = () => {}
  const workers = works.map((work, at) => {
    const turns = takingTurns(storage, () => {
      if (isFree) return Promise.resolve()
      return new Promise<void>((resolve) => {
        waiting[at]!.push(resolve)
        wake()
      })
    })
    return work(createArchive(turns, { now: Date.now })).finally(() => {
      isDone[at] = true
      wake()
    })
  })
  for (const [at, run] of runs.entries()) {
    const worker = at % 2
    for (let step = 0; step < run; step++) {
      while (waiting[worker]!.length === 0 && !isDone[worker]) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      waiting[worker]!.shift()?.()
    }
  }
  isFree = true
  for (const go of waiting.flat()) go()
  await Promise.all(workers)
  expect((await seen(storage)).wrong).toEqual([])
  return createArchive(storage, { now: Date.now }).find('simulator', HOUR)
}

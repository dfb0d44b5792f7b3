import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import type { Storage } from './storage.ts'
import { aFolder } from './testing/an-hour.ts'

/** What every storage promises. `open` returns an empty one. */
export function describeStorage(name: string, open: () => Promise<Storage>): void {
  describe(name, () => {
    it('returns what was put, whole or a range of it', async () => {
      const storage = await open()
      const bytes = randomBytes(9_000_000) // two parts of an upload
      const file = join(aFolder(), 'file')
      writeFileSync(file, bytes)

      await storage.putFile('chain/2026-11/a.zip', file)

      const whole = await storage.open('chain/2026-11/a.zip')
      expect((await buffer(whole!)).equals(bytes)).toBe(true)
      const part = await storage.open('chain/2026-11/a.zip', { start: 5, end: 14 })
      expect((await buffer(part!)).equals(bytes.subarray(5, 15))).toBe(true)
    })

    it('has the last text put under a name, with a new version in the listing', async () => {
      const storage = await open()
      await storage.putText('chain/a', 'first')
      const [first] = await listed(storage, 'chain')

      await storage.putText('chain/a', 'other')

      expect(await storage.readText('chain/a')).toBe('other')
      const [other] = await listed(storage, 'chain')
      expect(other).toMatchObject({ name: 'chain/a', bytes: 5 })
      expect(other!.version).not.toBe(first!.version)
      expect(Math.abs(Date.now() - other!.modifiedAt.getTime())).toBeLessThan(60_000)
    })

    it('holds an object of no bytes', async () => {
      const storage = await open()
      const file = join(aFolder(), 'file')
      writeFileSync(file, '')

      await storage.putFile('chain/empty', file)

      expect(await text((await storage.open('chain/empty'))!)).toBe('')
    })

    it('lists everything below a folder in order, and the folders in it', async () => {
      const storage = await open()
      const names = Array.from({ length: 30 }, (_, at) => `chain/2026-11/${10 + at}.json`)
      const others = ['chain/2026-12/1.json', 'chainlike/1', 'chain/b']
      await Promise.all([...names, ...others].map((name) => storage.putText(name, '1')))

      expect((await listed(storage, 'chain/2026-11')).map(({ name }) => name)).toEqual(names)
      expect((await listed(storage, 'chain')).map(({ name }) => name)).toEqual([
        ...names,
        'chain/2026-12/1.json',
        'chain/b',
      ])
      expect(await storage.folders('chain')).toEqual(['2026-11', '2026-12'])
    })

    it('returns undefined or nothing for a missing object, and removes it quietly', async () => {
      const storage = await open()

      expect(await storage.readText('chain/none')).toBeUndefined()
      expect(await storage.open('chain/none')).toBeUndefined()
      expect(await listed(storage, 'chain')).toEqual([])
      expect(await storage.folders('chain')).toEqual([])
      await storage.remove('chain/none')
    })

    it('removes an object', async () => {
      const storage = await open()
      await storage.putText('chain/a', 'text')

      await storage.remove('chain/a')

      expect(await storage.readText('chain/a')).toBeUndefined()
      expect(await listed(storage, 'chain')).toEqual([])
    })

    it.each([
      '../a',
      'a/../../b',
      '/a',
      'a//b',
      'a/',
      '',
      '.partial/a',
      'a/.b',
      'a\0b',
      'a\\b',
      'a b',
      'ä',
      'a/..',
    ])('rejects a name that may lead elsewhere: %j', async (name) => {
      const storage = await open()

      await expect(storage.putText(name, 'x')).rejects.toThrow('not an object name')
      await expect(storage.readText(name)).rejects.toThrow('not an object name')
      await expect(storage.open(name)).rejects.toThrow('not an object name')
      await expect(storage.remove(name)).rejects.toThrow('not an object name')
    })
  })
}

export async function listed(storage: Storage, folder: string) {
  const objects = []
  for await (const object of storage.list(folder)) objects.push(object)
  return objects
}

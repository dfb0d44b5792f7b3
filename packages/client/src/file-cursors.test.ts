import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileCursors } from './file-cursors.ts'

describe('cursors in a file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cursors-'))
    path = join(folder, 'cursors.json')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are empty when the file does not exist', async () => {
    expect(await fileCursors(path).load('whales')).toBeNull()
  })

  it('are kept by name in one file, even when saved at the same moment', async () => {
    await Promise.all([
      fileCursors(path).save('whales', 'cursor 1'),
      fileCursors(path).save('pairs', 'cursor 2'),
      fileCursors(path).save('whales', 'cursor 3'),
    ])

    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ whales: 'cursor 3', pairs: 'cursor 2' })
    expect(await fileCursors(path).load('pairs')).toBe('cursor 2')
  })

  it.each(['', '{"whales":1}', '[]', 'not json'])(
    'are not guessed from a file that holds %j',
    async (text) => {
      writeFileSync(path, text)

      await expect(fileCursors(path).load('whales')).rejects.toThrow('is not a file of cursors')
      await expect(fileCursors(path).save('whales', 'cursor 1')).rejects.toThrow()
      expect(readFileSync(path, 'utf8')).toBe(text)
    },
  )
})

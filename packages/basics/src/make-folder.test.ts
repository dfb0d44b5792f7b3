import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'
import { aFolder } from './testing/a-folder.ts'

it.each(['new/deep', 'new/../other', './new//deep/'])(
  'makes %s, for its owner alone, and leaves it',
  (path) => {
    const folder = `${aFolder()}/${path}`

    makeFolder(folder)
    makeFolder(folder)

    expect(statSync(folder).mode & 0o777).toBe(0o700)
  },
)

it('refuses a path at or below a file', () => {
  const file = join(aFolder(), 'file')
  writeFileSync(file, '')

  expect(() => makeFolder(file)).toThrow('EEXIST')
  expect(() => makeFolder(join(file, 'new'))).toThrow('ENOTDIR')
})

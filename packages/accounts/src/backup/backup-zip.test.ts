import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { writeBackupZip } from './backup-zip.ts'

// Guards the process: the fault of a stream that nobody listens to would end it.
it('fails with the fault of a part that cannot be read', async () => {
  async function* content() {
    yield 'one\n'
    throw new Error('The connection is lost.')
  }

  const writing = writeBackupZip(new PassThrough().resume(), [['tables/accounts.jsonl', content]])

  await expect(writing).rejects.toThrow('The connection is lost.')
})

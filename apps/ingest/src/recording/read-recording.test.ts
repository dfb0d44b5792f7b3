import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { aRecord, signatureOf } from '../testing/a-record.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { readRecording } from './read-recording.ts'

/** Ids of the transactions read, and the refusals without the folder's name. */
async function read(path: string, folder = path) {
  const ids: number[] = []
  const refusals: string[] = []
  for await (const recorded of readRecording(path)) {
    if ('refusal' in recorded)
      refusals.push(`${recorded.place}: ${recorded.refusal}`.replaceAll(`${folder}/`, ''))
    else
      ids.push(
        [1, 2, 3, 4, 5].find((id) => signatureOf(id) === encodeBase58(recorded.transaction.signature)) ?? 0,
      )
  }
  return { ids, refusals }
}

const lines = (...ids: number[]) => ids.map((id) => `${JSON.stringify(aRecord(id))}\n`).join('')

describe('readRecording', () => {
  it('reads a result with and without its envelope', async () => {
    const folder = aFolder({
      'a.json': JSON.stringify(aRecord(1)),
      'b.json': JSON.stringify({ jsonrpc: '2.0', id: 1, result: aRecord(2) }),
    })

    expect(await read(folder)).toEqual({ ids: [1, 2], refusals: [] })
  })

  it('reads nested folders in the order of their names', async () => {
    const folder = aFolder({
      'b/1.json': JSON.stringify(aRecord(2)),
      'a/z/1.json': JSON.stringify(aRecord(1)),
      'c.json': JSON.stringify(aRecord(3)),
      'readme.md': 'ignored',
    })

    expect(await read(folder)).toEqual({ ids: [1, 2, 3], refusals: [] })
  })

  it('reads one value per line, packed or not', async () => {
    const folder = aFolder({
      'a.ndjson': lines(1, 2),
      'b.ndjson.gz': gzipSync(lines(3)),
      'c.json.gz': gzipSync(JSON.stringify(aRecord(4))),
      'd.gz': gzipSync(`${lines(5)}\n${lines(1)}`),
    })

    expect(await read(folder)).toEqual({ ids: [1, 2, 3, 4, 5, 1], refusals: [] })
  })

  it('reads the last line without a line break, and lines that span chunks', async () => {
    const padding = ' '.repeat(200_000)
    const folder = aFolder({
      'a.ndjson': `${JSON.stringify(aRecord(1))}${padding}\r\n${padding}${lines(2).trim()}`,
    })

    expect(await read(folder)).toEqual({ ids: [1, 2], refusals: [] })
  })

  it('reads lists and blocks, whose transactions get their index from their position', async () => {
    const block = { blockTime: 5, parentSlot: 1, transactions: [aRecord(1), aRecord(2)] }
    const folder = aFolder({ 'a.json': JSON.stringify([aRecord(3), { result: block }]) })
    const read = []
    for await (const recorded of readRecording(folder)) read.push(recorded)

    expect(read).toMatchObject([
      { transaction: { index: null } },
      { transaction: { index: 0 } },
      { transaction: { index: 1 } },
    ])
  })

  it('names values that are not transactions and continues', async () => {
    const folder = aFolder({
      'a.json': '{"hello": 1}',
      'b.json': 'no JSON',
      'c.ndjson': `${lines(1)}null\n{broken\n${lines(2)}`,
      'd.json': '[]',
      'e.json': JSON.stringify({ ...aRecord(1), transaction: ['AQID', 'base64'] }),
    })

    const { ids, refusals } = await read(folder)

    expect(ids).toEqual([1, 2])
    expect(refusals).toEqual([
      'a.json: is no transaction',
      'b.json: is not JSON',
      'c.ndjson:2: is no transaction',
      'c.ndjson:3: is not JSON',
      'd.json: is an empty list',
      expect.stringMatching(/^e\.json: The transaction is encoded in base64/),
    ])
  })

  it('reports why a file cannot be read', async () => {
    const folder = aFolder({ 'a.json.gz': 'not packed at all' })

    const missing = await read(join(folder, 'missing.json'), folder)
    const broken = await read(folder)

    expect(missing.refusals).toEqual([expect.stringMatching(/^missing\.json: cannot be read: ENOENT/)])
    expect(broken.refusals).toEqual([expect.stringMatching(/^a\.json\.gz: cannot be read: incorrect header/)])
  })

  it('does not follow lists of unlimited depth', async () => {
    const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`

    const { refusals } = await read(aFolder({ 'a.json': deep }))

    expect(refusals).toEqual([expect.stringContaining('is no transaction')])
  })
})

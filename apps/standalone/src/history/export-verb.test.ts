import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileOf, hourStart } from '@pairwire/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { name, setUpVerbs, time } from '../testing/hours-verbs.ts'

const SPAN = ['--from', time(4), '--to', time(3)]

/** A folder with an archive of one hour, which is made once and copied for each test. */
const made = mkdtempSync(join(tmpdir(), 'pairwire-exported-'))
afterAll(() => rmSync(made, { recursive: true, force: true }))

async function withAnHour() {
  const folder = join(made, 'archive')
  if (!existsSync(folder))
    await (await setUpVerbs({ archivePlace: { kind: 'folder', folder } })).backfill(...SPAN)
  const verbs = await setUpVerbs({}, made)
  const manifest = (await verbs.archive.find('simulator', name(4)))!
  return { ...verbs, manifest, out: join(verbs.dataFolder, 'out') }
}

describe('pairwire export', () => {
  it('prints every event of an hour on a line, and copies its files unchanged', async () => {
    const { exportHours, manifest, out } = await withAnHour()

    const lines = (await exportHours(...SPAN)).join('').trimEnd().split('\n')
    for (const format of ['zip', 'parquet', 'ndjson'])
      await exportHours(...SPAN, '--format', format, '--out', out)

    expect(lines).toHaveLength(manifest.counts.swaps + manifest.counts.pairs)
    const times = lines.map((line) => JSON.parse(line).blockTime * 1000 - hourStart(manifest.hour)!)
    expect([Math.min(...times) >= 0, Math.max(...times) < 3_600_000]).toEqual([true, true])
    const sumOf = (file: string) =>
      createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')
    expect(readdirSync(out).sort()).toEqual(
      ['blocks.parquet', 'ndjson', 'pairs.parquet', 'swaps.parquet', 'zip'].map((end) => `${name(4)}.${end}`),
    )
    expect(sumOf(`${name(4)}.zip`)).toBe(fileOf(manifest, 'zip').sha256)
    expect(sumOf(`${name(4)}.swaps.parquet`)).toBe(fileOf(manifest, 'swaps').sha256)
    expect(readFileSync(join(out, `${name(4)}.ndjson`), 'utf8')).toBe(`${lines.join('\n')}\n`)
  })

  it.each(['ndjson', 'zip', 'parquet'])(
    'ends when it is interrupted, without half a file: %s',
    async (format) => {
      const { exportHours, interrupt, out } = await withAnHour()

      const exported = exportHours(...SPAN, '--format', format, '--out', out)
      interrupt()

      await expect(exported).rejects.toThrow('aborted')
      expect(readdirSync(out)).toEqual([])
    },
  )

  it('copies into a folder while another does', async () => {
    const { exportHours, manifest, out } = await withAnHour()
    const words = [...SPAN, '--format', 'zip', '--out', out]

    await Promise.all([exportHours(...words), exportHours(...words)])

    expect(readdirSync(out)).toEqual([`${name(4)}.zip`])
    expect(statSync(join(out, `${name(4)}.zip`)).size).toBe(fileOf(manifest, 'zip').bytes)
  })

  it('says how many of the hours asked for were there', async () => {
    const { exportAndReport } = await withAnHour()

    expect((await exportAndReport('--from', time(6), '--to', time(3))).reported).toEqual([
      'Hours exported: 1 of 3.',
    ])
  })

  it('outputs nothing from a file that does not match its manifest', async () => {
    const { exportHours, manifest, folder, out } = await withAnHour()
    const month = join(folder, 'simulator', `${manifest.hour.slice(0, 4)}-${manifest.hour.slice(4, 6)}`)
    appendFileSync(join(month, fileOf(manifest, 'zip').name), '!')

    await expect(exportHours(...SPAN)).rejects.toThrow(`${manifest.hour}: its zip has`)
    await expect(exportHours(...SPAN, '--format', 'zip', '--out', out)).rejects.toThrow('its zip has')
    expect(readdirSync(out)).toEqual([])
  })

  it.each([
    [['--format', 'csv'], '--format: is ndjson, zip or parquet.'],
    [['--format', 'parquet'], '--out: names the folder'],
    [[], 'No hour of that time is archived.'],
  ])('refuses %j with a sentence', async (words, sentence) => {
    const { exportHours } = await setUpVerbs()

    await expect(exportHours(...SPAN, ...words)).rejects.toThrow(sentence)
  })

  it.skipIf(process.platform !== 'linux')('ends where no folder can be made', async () => {
    const { exportHours } = await setUpVerbs()

    await expect(exportHours(...SPAN, '--out', '/proc/pairwire')).rejects.toThrow('ENOENT')
  })

  it('makes a folder that others can read as the umask lets them', async () => {
    const { exportHours, out } = await withAnHour()

    await exportHours(...SPAN, '--format', 'zip', '--out', join(out, 'deep'))

    for (const folder of [out, join(out, 'deep')])
      expect(statSync(folder).mode & 0o777).toBe(0o777 & ~process.umask())
  })
})

import { describe, expect, it } from 'vitest'
import { anEndpoint, NOW, name, setUpVerbs, time } from '../testing/hours-verbs.ts'

describe('pairwire backfill', () => {
  it('makes the missing hours, continues where it was stopped, and makes all again if forced', async () => {
    const { backfill: run, archive } = await setUpVerbs()
    const { url } = await anEndpoint()

    const first = await run('--from', time(5), '--to', time(4), '--source', url)
    const rest = await run('--from', time(6), '--to', time(3), '--source', url)
    const nothing = await run('--gaps', '--source', url)
    const forced = await run('--from', time(4), '--to', time(3), '--source', url, '--force')

    const told = [first, rest, nothing, forced].map(({ lines }) =>
      lines.map(({ hour, revision }) => [hour, revision]),
    )
    expect(told).toEqual([
      [[name(5), 1]],
      [
        [name(6), 1],
        [name(4), 1],
      ],
      [],
      [[name(4), 2]],
    ])
    expect(nothing.reported).toEqual(['No hour is missing there; the archiver makes the last two hours.'])
    expect((await archive.list('chain', 0, NOW)).map(({ hour }) => hour)).toEqual([name(6), name(5), name(4)])
  })

  it('makes hours that link to each other, and fills gaps between hours', async () => {
    const { backfill: run, archive } = await setUpVerbs()
    const { url } = await anEndpoint()
    await run('--from', time(6), '--to', time(5), '--source', url)
    await run('--from', time(4), '--to', time(3), '--source', url)

    const { lines } = await run('--gaps', '--source', url)

    expect(lines).toMatchObject([
      { hour: name(5), source: 'chain', made: 'backfill', complete: true, blocks: 120 },
    ])
    const hours = await archive.list('chain', 0, NOW)
    for (const [at, { chain }] of hours.entries()) {
      expect(chain!.linked).toBe(true)
      if (at > 0) expect(chain!.parentBlockhash).toBe(hours[at - 1]!.chain!.blockhash)
    }
  })

  it('leaves the last two hours to the archiver, unless forced', async () => {
    const { backfill: run } = await setUpVerbs()
    const { url } = await anEndpoint()
    const words = ['--from', time(1), '--to', time(0), '--source', url]

    expect((await run(...words)).lines).toEqual([])
    expect((await run(...words, '--force')).lines).toMatchObject([{ hour: name(1), complete: true }])
  })

  it('simulates the past hours that the settings name', async () => {
    const { backfill: run } = await setUpVerbs()

    const { lines } = await run('--from', time(4), '--to', time(3))

    expect(lines).toMatchObject([{ hour: name(4), source: 'simulator', complete: true, blocks: 9_000 }])
  })

  // A page that shows the sample would otherwise offer another hour's files, once an older hour is there.
  it('makes the hour up first that is the sample in the end, then the newest hours', async () => {
    const { backfill: run, archive } = await setUpVerbs({ solanaSource: 'simulator?swaps=0.2' })

    const { lines } = await run('--from', '20260930-230000', '--to', '20261001-030000')

    const made = lines.map(({ hour }) => hour)
    expect(made).toEqual(['20261001-000000', '20261001-020000', '20261001-010000', '20260930-230000'])
    expect(await archive.findSample('simulator')).toMatchObject({ hour: made[0] })
  })

  // The simulator's chain begins on 1 June 2021.
  it('names each hour of which the source does not have all blocks', async () => {
    const { backfill: run } = await setUpVerbs()

    const { lines, reported } = await run('--from', '20210531-230000', '--to', '20210601-020000')

    expect(lines.map(({ hour }) => hour)).toEqual(['20210601-010000'])
    expect(reported).toEqual([
      '20210601-000000: was not made: the source does not have all of its blocks.',
      '20210531-230000: was not made: the source does not have all of its blocks.',
    ])
  })

  it.each([
    [
      ['--from', '2026-11-23T13:30:00Z', '--to', '2026-11-23T14:00:00Z'],
      '--from: must be a whole hour in UTC',
    ],
    [['--from', '2026-11-23T13:00:00Z'], '--to: is missing.'],
    [['--from', '2026-02-29T13:00:00Z', '--to', '2026-03-02T13:00:00Z'], '--from: must be a whole hour'],
    [['--from', '20261123-130000', '--to', '20261123-130000'], '--to: must be after --from.'],
    [['--gaps', '--to', '20261123-130000'], '--gaps: finds the hours itself'],
    [
      ['--from', '20261123-130000', '--to', '20261123-140000', '--source', 'logs+wss://x.example'],
      'SOLANA_RPC_URL',
    ],
  ])('refuses %j with a sentence', async (words, sentence) => {
    const { backfill: run } = await setUpVerbs()

    await expect(run(...words)).rejects.toThrow(sentence)
  })

  it('says that no hours are archived if the archive is off', async () => {
    const { backfill: run } = await setUpVerbs({ archivePlace: undefined })

    await expect(run('--gaps')).rejects.toThrow('ARCHIVE_URL: is off, so no hours are archived.')
  })
})

import { CHECK_NAMES, type CheckRow } from '@pairwire/contract/operator'
import { describe, expect, it } from 'vitest'
import { createDoctor, fail, ok, together, warn } from './check.ts'

async function rowsOf(rows: AsyncIterable<CheckRow>): Promise<CheckRow[]> {
  const all: CheckRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

const parts = { whySkipped: 'Not here.', secrets: [] }

describe('the doctor', () => {
  it('answers every check in the order of the table, and says which ones its process does not have', async () => {
    const doctor = createDoctor({ disk: () => ok('There is room.'), backup: async () => ok('Fresh.') }, parts)

    const rows = await rowsOf(doctor())

    expect(rows.map(({ check }) => check)).toEqual(CHECK_NAMES)
    expect(rows.filter(({ state }) => state === 'ok').map(({ check }) => check)).toEqual(['disk', 'backup'])
    expect(rows[0]).toEqual({ check: 'settings', state: 'skipped', sentence: 'Not here.', fix: null })
  })

  it('keeps what was found last, with its time, and answers it without running anything', async () => {
    let runs = 0
    const doctor = createDoctor({ disk: () => ok(`Run ${++runs}.`) }, parts)
    expect(await rowsOf(doctor('last'))).toEqual([])
    await rowsOf(doctor(['disk', 'rpc']))
    await rowsOf(doctor(['disk']))

    const rows = await rowsOf(doctor('last'))

    expect(rows.map(({ check, sentence }) => [check, sentence])).toEqual([
      ['disk', 'Run 2.'],
      ['rpc', 'Not here.'],
    ])
    for (const { at = '' } of rows) expect(Date.parse(at)).toBeLessThanOrEqual(Date.now())
  })

  it('runs checks at once, and one that runs already only once', async () => {
    let runs = 0
    let open = () => {}
    const waiting = new Promise<void>((resolve) => {
      open = resolve
    })
    const doctor = createDoctor(
      {
        disk: () => {
          runs++
          return waiting.then(() => ok('There is room.'))
        },
        backup: () => {
          open()
          return ok('Fresh.')
        },
      },
      parts,
    )

    const [some, all] = await Promise.all([rowsOf(doctor(['disk', 'backup'])), rowsOf(doctor(['disk']))])

    expect([some.length, all.length, runs]).toEqual([2, 1, 1])
  })

  it('gives up a check that hangs, tells it so, and goes on after one that throws', async () => {
    let isAborted = false
    const doctor = createDoctor(
      {
        nats: (signal) =>
          new Promise(() => {
            signal.onabort = () => {
              isAborted = true
            }
          }),
        rpc: () => {
          throw new Error('broken')
        },
      },
      { ...parts, limitMs: 10 },
    )

    const [nats, rpc] = await rowsOf(doctor(['nats', 'rpc']))

    expect(nats).toMatchObject({ state: 'fail', sentence: 'It did not come to an end within 0.01 s.' })
    expect(nats!.fix).toContain('--only nats')
    expect(rpc).toMatchObject({ state: 'fail', sentence: 'The check itself failed: broken' })
    expect(isAborted).toBe(true)
  })

  it('hides secrets, whatever a check repeats', async () => {
    const check = () => warn('It said: pass pass-word refused.', 'Change pass-word.')
    const doctor = createDoctor({ mail: check }, { ...parts, secrets: ['pass', 'pass-word'] })

    const [row] = await rowsOf(doctor(['mail']))

    expect(row).toMatchObject({ sentence: 'It said: … … refused.', fix: 'Change ….' })
  })

  it('joins findings to the worst of them, and says the same fix once', () => {
    expect(together([false, undefined], 'Sound.')).toEqual(ok('Sound.'))
    expect(together([warn('One.', 'Do.'), fail('Two.', 'Do.')], 'Sound.')).toEqual(fail('One. Two.', 'Do.'))
  })
})

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { AppError, HOUR_MS, MINUTE_MS } from '@pairwire/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBackupClock } from './backup-clock.ts'

describe('the daily backup', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
  })

  /** A process that starts at a moment; its backups fail by a `fault`, and another process may have the lease. */
  function start(at: string, more: Partial<{ fault: Error; isElsewhere: boolean }> = {}) {
    const clock = createManualClock(Date.parse(at))
    const state = {
      ...{ fault: undefined as Error | undefined, isElsewhere: false, ...more },
      ...{ warnings: [] as string[], wasAborted: false },
    }
    const backups = createBackupClock({
      ...{ folder, clock },
      make: async (signal) => {
        signal.addEventListener('abort', () => (state.wasAborted = true))
        if (state.fault) throw state.fault
        const moment = new Date(clock.now()).toISOString().replaceAll(':', '-')
        writeFileSync(join(folder, `daily-${moment}.zip`), '')
      },
      leases: { have: async (_work, action) => (state.isElsewhere ? undefined : action()) },
      warn: (sentence) => state.warnings.push(sentence),
    })
    backups.start()
    return { ...backups, clock, state }
  }
  const made = () =>
    readdirSync(folder).map((name) => name.slice('daily-'.length, 'daily-2026-11-20T12-00'.length))

  it('is made at 03:00 UTC, once a day', async () => {
    writeFileSync(join(folder, 'daily-2026-11-20T03-00-00.500Z.zip'), '')
    const { clock } = start('2026-11-20T12:00:00Z')

    await clock.pass(15 * HOUR_MS - MINUTE_MS)
    expect(made()).toHaveLength(1)
    await clock.pass(40 * HOUR_MS)

    expect(made()).toEqual(['2026-11-20T03-00', '2026-11-21T03-00', '2026-11-22T03-00'])
  })

  it('is made up for at the next start', async () => {
    writeFileSync(join(folder, 'daily-2026-11-19T03-00-00.000Z.zip'), '')
    const { clock } = start('2026-11-20T12:34:00Z')

    await clock.pass(MINUTE_MS)

    expect(made()).toEqual(['2026-11-19T03-00', '2026-11-20T12-34'])
  })

  it('is made beside one that a clock dated years ahead', async () => {
    writeFileSync(join(folder, 'daily-2036-02-07T06-28-16.000Z.zip'), '')
    const { clock } = start('2026-11-20T12:34:00Z')

    await clock.pass(24 * HOUR_MS)

    expect(made()).toEqual(['2026-11-20T12-34', '2026-11-21T03-00', '2036-02-07T06-28'])
  })

  it('is left to the process that has the lease', async () => {
    const { clock, state } = start('2026-11-20T12:00:00Z', { isElsewhere: true })
    await clock.pass(HOUR_MS)
    expect(made()).toEqual([])
    state.isElsewhere = false

    await clock.pass(MINUTE_MS)

    expect(made()).toEqual(['2026-11-20T13-00'])
  })

  it('is tried again an hour after a failure, for which the log names a remedy', async () => {
    const { clock, state } = start('2026-11-20T12:00:00Z', { fault: new AppError('ERR_UNAVAILABLE') })
    await clock.pass(59 * MINUTE_MS)
    expect(state.warnings).toEqual([
      'The daily backup failed: the database does not answer; see that it runs. It is tried again in an hour.',
    ])
    state.fault = undefined

    await clock.pass(MINUTE_MS)

    expect(made()).toEqual(['2026-11-20T13-00'])
  })

  it.each([
    [Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), 'no room is left; make some in BACKUP_DIR'],
    [Object.assign(new Error('EACCES'), { code: 'EACCES' }), 'give it the folder'],
    [Object.assign(new Error('ENOENT'), { code: 'ENOENT' }), 'a folder is missing and cannot be made'],
    [new Error('the key is 0123456789abcdef'), 'to see why, make one with `pairwire backup <file>`'],
  ])('names a remedy and no message when it failed by %s', async (fault, remedy) => {
    const { clock, state } = start('2026-11-20T12:00:00Z', { fault })

    await clock.pass(MINUTE_MS)

    expect(state.warnings).toEqual([expect.stringContaining(remedy)])
    expect(state.warnings.join()).not.toContain('0123456789abcdef')
  })

  it('is aborted by a stop', async () => {
    const { clock, state, stop } = start('2026-11-20T12:00:00Z')
    await clock.pass(0)

    stop()

    expect(state.wasAborted).toBe(true)
  })
})

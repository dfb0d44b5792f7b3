import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, AppError } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askService, listenForOperator } from './control-socket.ts'

/** A request that gets no answer. */
const nothing = () => expect.unreachable()

describe('the control socket', () => {
  let folder: string
  let stop = async () => {}
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pairwire-control-'))
  })
  afterEach(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers with the refusal itself, and does not log it', async () => {
    const logged: unknown[] = []
    stop = await listenForOperator(
      folder,
      async () => {
        throw new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
      },
      (...failure) => logged.push(failure),
    )

    const asked = askService(folder, { verb: 'account show', email: 'ann@example.org' }, nothing)

    await expect(asked).rejects.toThrow('There is no account with this email.')
    expect(logged).toEqual([])
  })

  it('answers any other failure with a pointer to the log, where the reason is', async () => {
    const logged: unknown[] = []
    const fault = new Error('the disk is on fire')
    stop = await listenForOperator(
      folder,
      async () => {
        throw fault
      },
      (...failure) => logged.push(failure),
    )

    await expect(askService(folder, { verb: 'status clear' }, nothing)).rejects.toThrow(
      'See its log for the reason',
    )

    expect(logged).toEqual([['status clear', fault]])
  })

  // Guards keys that would never be shown: creating many accounts takes longer than the tool waits for one answer.
  it('reports each account as soon as it is created, including those before a refusal', async () => {
    const told: unknown[] = []
    let hear = () => {}
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    stop = await listenForOperator(
      folder,
      async (_request, print) => {
        print({ hasHadFreeTrial: true } as Account)
        await heard
        throw new AppError('ERR_VALIDATION', 'This is no email.')
      },
      () => {},
    )

    const asked = askService(
      folder,
      { verb: 'account create', emails: ['ann@example.org', 'ben'] },
      (account) => {
        told.push(account)
        hear()
      },
    )

    await expect(asked).rejects.toThrow('This is no email.')
    expect(told).toEqual([{ hasHadFreeTrial: true }])
  })

  it('finds no service in a missing folder, nor in a file', async () => {
    writeFileSync(join(folder, 'file'), '')

    expect(await askService(join(folder, 'missing'), { verb: 'status clear' }, nothing)).toBe(false)
    expect(await askService(join(folder, 'file'), { verb: 'status clear' }, nothing)).toBe(false)
  })
})

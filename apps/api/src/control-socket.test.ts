import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askService, listenForOperator } from './control-socket.ts'

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

  it('tells a refusal as it is, and is silent about it in the log', async () => {
    const logged: unknown[] = []
    stop = await listenForOperator(
      folder,
      async () => {
        throw new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
      },
      (...failure) => logged.push(failure),
    )

    const asked = askService(folder, { verb: 'account show', email: 'ann@example.org' })

    await expect(asked).rejects.toThrow('There is no account with this email.')
    expect(logged).toEqual([])
  })

  it('says of anything else that the log says why, and there it is', async () => {
    const logged: unknown[] = []
    const fault = new Error('the disk is on fire')
    stop = await listenForOperator(
      folder,
      async () => {
        throw fault
      },
      (...failure) => logged.push(failure),
    )

    await expect(askService(folder, { verb: 'status clear' })).rejects.toThrow('its log says why')

    expect(logged).toEqual([['status clear', fault]])
  })

  it('finds no service in a folder that there is not, and in a file', async () => {
    writeFileSync(join(folder, 'file'), '')

    expect(await askService(join(folder, 'missing'), { verb: 'status clear' })).toBeUndefined()
    expect(await askService(join(folder, 'file'), { verb: 'status clear' })).toBeUndefined()
  })
})

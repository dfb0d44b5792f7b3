import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { socketPath } from '@pairwire/accounts/socket-path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { AppError } from '@pairwire/contract'
import { CONTROL_SOCKET, type ControlRequest } from '@pairwire/contract/operator'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { askService } from './ask-service.ts'
import { listenForOperator } from './listen-for-operator.ts'

const request: ControlRequest = { verb: 'status clear', input: {}, as: 'rows', actor: 'ann' }

/** Milliseconds of silence that the tool bears in these tests. */
const SILENCE_MS = 400

/** A request that gets no answer. */
const nothing = () => expect.unreachable()

/** A verb that lists rows until its reader leaves; `ended` resolves then. */
function endlessVerb() {
  let hasEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve
  })
  async function* verb() {
    try {
      for (let row = 0; ; row++) yield { row: 'x'.repeat(1_000) + row }
    } finally {
      hasEnded()
    }
  }
  return { verb, ended }
}

describe('the control socket', () => {
  let folder: string
  let stop = async () => {}
  beforeEach(() => {
    folder = aFolder()
  })
  afterEach(async () => {
    await stop()
    stop = async () => {}
  })

  it('answers with the refusal itself, and does not log it', async () => {
    const logged: unknown[] = []
    stop = await listenForOperator(
      folder,
      // biome-ignore lint/correctness/useYield: it is refused before its first row
      async function* () {
        throw new AppError('ERR_NOT_FOUND', 'There is no account with this email.')
      },
      (...failure) => logged.push(failure),
    )

    await expect(askService(folder, request, nothing)).rejects.toThrow('There is no account with this email.')

    expect(logged).toEqual([])
  })

  it('says why the database is away, which customers are not told', async () => {
    const away = Object.assign(new AppError('ERR_UNAVAILABLE'), { cause: 'No space left on device' })
    stop = await listenForOperator(
      folder,
      // biome-ignore lint/correctness/useYield: it fails before its first row
      async function* () {
        throw away
      },
      () => {},
    )

    await expect(askService(folder, request, nothing)).rejects.toThrow(
      'This part of the service is away. Try again in a minute. (No space left on device)',
    )
  })

  it('answers any other failure with a pointer to the log, where the reason is', async () => {
    const logged: unknown[] = []
    const fault = new Error('the disk is on fire')
    stop = await listenForOperator(
      folder,
      // biome-ignore lint/correctness/useYield: it fails before its first row
      async function* () {
        throw fault
      },
      (...failure) => logged.push(failure),
    )

    await expect(askService(folder, request, nothing)).rejects.toThrow('See its log for the reason')

    expect(logged).toEqual([['status clear', fault]])
  })

  // Guards keys that would never be shown: creating many accounts takes longer than the tool waits for one answer.
  it('reports each row as soon as it is done, including those before a refusal', async () => {
    const told: unknown[] = []
    let hear = () => {}
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    stop = await listenForOperator(
      folder,
      async function* () {
        yield { row: 1 }
        await heard
        throw new AppError('ERR_VALIDATION', 'This is no email.')
      },
      () => {},
    )

    const asked = askService(folder, request, (said) => {
      told.push(said)
      hear()
    })

    await expect(asked).rejects.toThrow('This is no email.')
    expect(told).toEqual([{ row: 1 }])
  })

  it('waits for a verb as long as the service says that it runs', async () => {
    stop = await listenForOperator(
      folder,
      async function* () {
        await new Promise((resolve) => setTimeout(resolve, 4 * SILENCE_MS))
        yield { row: 'late' }
      },
      () => {},
      SILENCE_MS / 20,
    )
    const told: unknown[] = []

    expect(await askService(folder, request, (said) => void told.push(said), SILENCE_MS)).toBe(true)

    expect(told).toEqual([{ row: 'late' }])
  })

  it('gives up a service that says nothing', async () => {
    const server = createServer(() => {}).listen(socketPath(folder, CONTROL_SOCKET))
    stop = async () => void server.close()
    await once(server, 'listening')

    await expect(askService(folder, request, nothing, SILENCE_MS)).rejects.toThrow(
      'The service said nothing for 0.4 s.',
    )
  })

  it('stops a verb whose reader has left', async () => {
    const { verb, ended } = endlessVerb()
    stop = await listenForOperator(folder, verb, () => {})

    const asked = askService(folder, request, () => {
      throw new Error('seen enough')
    })

    await expect(asked).rejects.toThrow('seen enough')
    await ended
  })

  // Guards the service: a list that is read in a pager, which is left, must not end it.
  it('survives a reader that stops reading for long and then leaves', async () => {
    const logged: unknown[] = []
    const { verb, ended } = endlessVerb()
    stop = await listenForOperator(folder, verb, (...failure) => logged.push(failure), SILENCE_MS / 20)
    const reader = connect(socketPath(folder, CONTROL_SOCKET)).on('error', () => {})
    reader.write(`${JSON.stringify(request)}\n`)
    await once(reader, 'readable')
    // By then the service waits for it, with a row and with words that it still runs.
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS / 4))

    reader.destroy()
    await ended

    expect(logged).toEqual([])
  })

  // Guards memory: a list of a million rows would leave a million listeners on its socket.
  it('keeps nothing of a row that its reader has, however long the list', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    // The service waits after each: it is longer than what a socket buffers.
    const rows = Array.from({ length: 20 }, () => ({ row: 'x'.repeat(100_000) }))
    stop = await listenForOperator(
      folder,
      async function* () {
        yield* rows
      },
      () => {},
    )
    const told: unknown[] = []

    await askService(folder, request, (said) => void told.push(said))

    expect(told).toEqual(rows)
    expect(warnings).toEqual([])
  })

  it('finds no service in a missing folder, nor in a file', async () => {
    writeFileSync(join(folder, 'file'), '')

    expect(await askService(join(folder, 'missing'), request, nothing)).toBe(false)
    expect(await askService(join(folder, 'file'), request, nothing)).toBe(false)
  })
})

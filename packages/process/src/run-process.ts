import { codeOf, type Log } from '@pairwire/basics'
import { ConfigError } from './settings.ts'

/** The life of a process, as its parts can end it. */
export type Life = Readonly<{
  /**
   * From now on a signal, {@link stop} or an unexpected error calls `closeAll`, once, which closes each part with `close`: one
   * that fails makes the status 1, and does not keep the next one open. `leftMs` returns what is left of the time.
   */
  onStop(closeAll: (close: (part: () => unknown) => Promise<unknown>, leftMs: () => number) => unknown): void
  stop(status: number): Promise<void>
}>

/**
 * Runs a process from start to end: a failed start prints the reason and exits with status 1; a stop that takes longer than
 * `limitMs` is cut short.
 */
export async function runProcess(
  log: Log,
  limitMs: number,
  start: (life: Life) => Promise<void>,
): Promise<void> {
  // A full disk or a terminal that is gone takes no lines: the work goes on, and so do the lines once there is room.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  let closeAll: Parameters<Life['onStop']>[0] = async () => {}
  let stopping = false
  const stop = async (status: number) => {
    if (stopping) return
    stopping = true
    const startedMs = performance.now()
    setTimeout(() => process.exit(1), limitMs).unref()
    process.exitCode = status
    const close = (part: () => unknown) =>
      new Promise((done) => done(part())).catch((error) => {
        log.error('A part could not be closed; the others are closed.', { error })
        process.exitCode = 1
      })
    await closeAll(close, () => limitMs - (performance.now() - startedMs))
    process.exit()
  }
  const crash = (error: unknown) => {
    log.error('Unexpected error; the service is stopping.', { error })
    void stop(1)
  }
  const onStop: Life['onStop'] = (action) => {
    closeAll = action
    process.on('uncaughtException', crash)
    process.on('unhandledRejection', crash)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
  }

  try {
    await start({ onStop, stop })
  } catch (error) {
    for (const sentence of sentencesOf(error)) log.error(sentence)
    await stop(1)
  }
}

/** Why the server cannot listen there, naming the variable. */
export function listenFault(error: unknown, { host, port }: Readonly<{ host: string; port: number }>): Error {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return new Error(`PORT: another program is using ${host}:${port}.`)
  if (code === 'EACCES') return new Error(`PORT: this user cannot listen on ${port}; use a port above 1023.`)
  return new Error(
    `HOST: this machine cannot listen on ${host}:${port} (${code ?? 'for an unknown reason'}).`,
  )
}

/** The output when the start fails: the sentence of an expected fault, the stack of a bug. */
function sentencesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  if (error instanceof ConfigError) return error.message.split('\n')
  const isOurs = error.constructor === Error || codeOf(error) !== undefined
  return [isOurs ? error.message : (error.stack ?? error.message)]
}

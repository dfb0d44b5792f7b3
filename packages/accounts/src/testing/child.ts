import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { QUICK_NODE } from '@pairwire/basics/testing/quick-node'

/** A child process that runs the TypeScript file at `url` and sends messages of the type `Said`. */
export type Child<Said> = Readonly<{
  pid: number
  send(message: object): void
  /** The next message in order, including those before the call. @throws Error if the process ends instead */
  next(): Promise<Said>
  /** Sends SIGKILL. @returns the messages that nobody had taken yet, once the process is gone */
  kill(): Promise<Said[]>
}>

/** Milliseconds to wait for a message of a child. */
const PATIENCE_MS = 20_000

/** Starts a child process from a TypeScript file, by the program `through` if one is given. */
export async function startChild<Said>(
  url: URL,
  args: readonly string[] = [],
  through: readonly string[] = [],
): Promise<Child<Said>> {
  const [program = '', ...words] = [
    ...through,
    process.execPath,
    ...QUICK_NODE,
    await bundleScript(url),
    ...args,
  ]
  const child: ChildProcess = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const said: Said[] = []
  let wake = () => {}
  // The caller, who wrote both ends, gives the type of the messages.
  child.on('message', (message) => {
    said.push(message as Said)
    wake()
  })
  child.on('exit', () => wake())

  return {
    pid: child.pid ?? 0,
    send: (message) => void child.send(message),
    next: async () => {
      for (const giveUpMs = Date.now() + PATIENCE_MS; said.length === 0; ) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('the child process ended')
        if (Date.now() >= giveUpMs) throw new Error('the child process said nothing')
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, PATIENCE_MS)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return said.shift() as Said
    },
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const closed = once(child, 'close')
        child.kill('SIGKILL')
        await closed
      }
      return said.splice(0)
    },
  }
}

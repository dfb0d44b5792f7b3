import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { socketPath } from '@pairwire/accounts/socket-path'
import { AppError } from '@pairwire/contract'
import {
  ALIVE_EVERY_MS,
  CONTROL_SOCKET,
  type ControlReply,
  ControlRequest,
  SILENCE_MS,
} from '@pairwire/contract/operator'

/** Largest request in bytes: a list of some thousand emails. */
const REQUEST_MAX_BYTES = 256 * 1024

/**
 * Listens in the data folder for the operator's tool: reads one line of JSON, answers one line for each row as soon as it is
 * done, and one with the outcome; while a verb takes long, lines in between say that it still runs. A verb whose reader has
 * left goes no further. Only the owner of the folder may open the socket. The caller holds the folder's lock, so a socket file
 * left by a killed process is removed. Failures other than refusals go to `onFailure`: the tool is referred to the log.
 *
 * @returns a function that stops listening
 */
export async function listenForOperator(
  dataFolder: string,
  run: (request: ControlRequest) => AsyncIterable<ControlReply>,
  onFailure: (verb: string, error: unknown) => void,
  aliveEveryMs = ALIVE_EVERY_MS,
): Promise<() => Promise<void>> {
  const path = socketPath(dataFolder, CONTROL_SOCKET)
  rmSync(path, { force: true })

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(SILENCE_MS, () => socket.destroy())
    readLine(socket).then(
      async (line) => {
        const alive = setInterval(() => void say(socket, { alive: true }), aliveEveryMs)
        await say(socket, await answer(line, socket, run, onFailure))
        clearInterval(alive)
        socket.end()
      },
      () => socket.destroy(),
    )
  })
  await once(server.listen(path), 'listening')
  chmodSync(path, 0o600)

  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Runs the verb of a line and writes its rows. @returns the outcome: of a database that is away also why, for the operator */
async function answer(
  line: string,
  socket: Socket,
  run: (request: ControlRequest) => AsyncIterable<ControlReply>,
  onFailure: (verb: string, error: unknown) => void,
): Promise<ControlReply> {
  let verb = 'unreadable'
  try {
    const request = ControlRequest.parse(JSON.parse(line))
    verb = request.verb
    for await (const reply of run(request)) {
      if (socket.destroyed) break
      await say(socket, reply)
    }
    return { done: true }
  } catch (error) {
    const why = error instanceof AppError && typeof error.cause === 'string' ? ` (${error.cause})` : ''
    if (error instanceof AppError) return { refused: error.message + why }
    onFailure(verb, error)
    return { refused: 'The service could not do this. See its log for the reason.' }
  }
}

/** Writes a line, and waits while the reader is behind or until it has left: a long list is never held in memory. */
function say(socket: Socket, reply: ControlReply): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`, () => resolve())) resolve()
  })
}

/** The first line sent by `socket`. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
      else if (text.length > REQUEST_MAX_BYTES) reject(new Error('The line is too long.'))
    })
    socket.once('end', () => reject(new Error('The other side closed the connection.')))
    socket.once('error', reject)
  })
}

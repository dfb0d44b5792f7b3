import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { socketPath } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import { z } from 'zod'
import { OperatorRequest, type Print } from './operations.ts'

/** The socket's name in the data folder. */
const NAME = 'control.sock'

/** Milliseconds within which each side of the control socket must hear from the other. */
const ANSWER_TIMEOUT_MS = 10_000

/** Largest request in bytes: a list of some thousand emails. */
const REQUEST_MAX_BYTES = 256 * 1024

/**
 * Listens in the data folder for the operator's tool: reads one line of JSON, answers one line for each account or order as
 * soon as it is done, and one with the outcome. Only the owner of the folder may open the socket. The caller holds the
 * folder's lock, so a socket file left by a killed process is removed. Failures other than refusals go to `onFailure`: the
 * tool is referred to the log.
 *
 * @returns a function that stops listening
 */
export async function listenForOperator(
  dataFolder: string,
  run: (request: OperatorRequest, print: Print) => Promise<void>,
  onFailure: (verb: string, error: unknown) => void,
): Promise<() => Promise<void>> {
  const path = socketPath(dataFolder, NAME)
  rmSync(path, { force: true })

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy())
    const say = (reply: Reply) => void socket.write(`${JSON.stringify(reply)}\n`)
    readLine(socket).then(
      async (line) => {
        say(await answer(line, (request) => run(request, (line) => say({ line })), onFailure))
        socket.end()
      },
      () => socket.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)

  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

/**
 * Sends a request to the running service, and prints each account or order in its answer. @returns whether one listens
 * @throws Error with the service's own sentence on a refusal
 */
export async function askService(
  dataFolder: string,
  request: OperatorRequest,
  print: Print,
): Promise<boolean> {
  const socket = connect(socketPath(dataFolder, NAME))
  const connected = await new Promise<boolean>((resolve, reject) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(error.code ?? '')) return resolve(false)
      reject(
        new Error(
          `DATA_DIR: the service in ${dataFolder} cannot be reached (${error.code}); run this as its user.`,
        ),
      )
    })
  })
  if (!connected) return false

  socket.setTimeout(ANSWER_TIMEOUT_MS, () =>
    socket.destroy(new Error('The service did not answer within 10 s.')),
  )
  socket.write(`${JSON.stringify(request)}\n`)
  let rest = ''
  for await (const text of socket.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const reply = Reply.parse(JSON.parse(line))
      if ('refused' in reply) throw new Error(reply.refused)
      if ('done' in reply) return true
      print(reply.line as Parameters<Print>[0]) // Written by our own service, behind a socket that only its owner may open.
    }
  }
  throw new Error('The service closed the connection before it had finished.')
}

const Reply = z.union([
  z.object({ line: z.unknown() }),
  z.object({ refused: z.string() }),
  z.object({ done: z.literal(true) }),
])
type Reply = z.infer<typeof Reply>

async function answer(
  line: string,
  run: (request: OperatorRequest) => Promise<void>,
  onFailure: (verb: string, error: unknown) => void,
): Promise<Reply> {
  let verb = 'unreadable'
  try {
    const request = OperatorRequest.parse(JSON.parse(line))
    verb = request.verb
    await run(request)
    return { done: true }
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message }
    onFailure(verb, error)
    return { refused: 'The service could not do this. See its log for the reason.' }
  }
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

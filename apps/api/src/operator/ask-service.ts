import { connect } from 'node:net'
import { socketPath } from '@pairwire/accounts/socket-path'
import { CONTROL_SOCKET, ControlReply, type ControlRequest, SILENCE_MS } from '@pairwire/contract/operator'

/** Takes a row of a verb, or a piece of its CSV. */
export type Print = (said: { row: unknown } | { csv: string }) => void | Promise<void>

/**
 * Has the running service run a verb, and prints its rows as they come. Loads nothing of the service. @returns whether one
 * listens
 *
 * @throws Error with the service's own sentence on a refusal
 */
export async function askService(
  dataFolder: string,
  request: ControlRequest,
  print: Print,
  silenceMs = SILENCE_MS,
): Promise<boolean> {
  const socket = connect(socketPath(dataFolder, CONTROL_SOCKET))
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

  socket.setTimeout(silenceMs, () =>
    socket.destroy(new Error(`The service said nothing for ${silenceMs / 1_000} s.`)),
  )
  socket.write(`${JSON.stringify(request)}\n`)
  let rest = ''
  for await (const text of socket.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const reply = ControlReply.parse(JSON.parse(line))
      if ('refused' in reply) throw new Error(reply.refused)
      if ('done' in reply) return true
      if (!('alive' in reply)) await print(reply)
    }
  }
  throw new Error('The service closed the connection before it had finished.')
}

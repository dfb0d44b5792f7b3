import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

/** Numbers of record types. @see RFC 1035 section 3.2.2 */
const TYPES = { 1: 'A', 16: 'TXT' } as const

/**
 * Starts a name server for this test, with records by type and name, such as `A stream.example`; other names do not exist.
 *
 * @returns its address, for `Resolver.setServers`
 */
export async function startDns(records: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    const labels: string[] = []
    let at = 12
    for (let length = question[at]!; length > 0; length = question[at]!) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += length + 1
    }
    const type = question.readUInt16BE(at + 1)
    const found = records[`${TYPES[type as keyof typeof TYPES]} ${labels.join('.').toLowerCase()}`] ?? []
    const answers = found.map((value) => {
      const data = isIP(value)
        ? Buffer.from(value.split('.').map(Number))
        : Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')])
      // The name is that of the question, at byte 12; class IN, a minute to live.
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length])
      return Buffer.concat([head, data])
    })
    const head = Buffer.alloc(12)
    question.copy(head, 0, 0, 2)
    head.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(found.length, 6)
    socket.send(Buffer.concat([head, question.subarray(12, at + 5), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

// Clients: `node old-clients.mjs <honest | resuming | replaying> <port> <count> <first slot> <last slot>`, each of an
// account of its own. Honest ones ask for a ping ten times a second each, and time the answer.
import { randomBytes, randomInt } from 'node:crypto'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { textFrame, upgradeRequest } from '../by-hand.mjs'

register()
const { encodeBase58, formatCursor } = await import('@pairwire/contract')

const [mode, port, count, firstSlot, lastSlot] = process.argv.slice(2)
// They stand for other machines, which would not take the service's cores.
if (mode !== 'honest') setPriority(constants.priority.PRIORITY_LOW)
const PING_EVERY_MS = 100
/** Milliseconds before who was refused asks again: within the rate of requests. */
const REFUSED_MS = 250
const counts = { resumed: 0, refused: 0, other: 0 }
let latencies = []

/** Connects and sends requests one after the other: `ask` gives the answer. */
function open(number) {
  const waiting = new Map()
  let rest = Buffer.alloc(0)
  let isUp = false
  let id = 0
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
    const ask = (method, params) =>
      new Promise((answered) => {
        waiting.set(++id, answered)
        socket.write(textFrame(JSON.stringify({ id, method, params })))
      })
    socket.on('error', reject)
    socket.on('close', () => counts.other++)
    socket.on('connect', () => socket.write(upgradeRequest(keyOf(number))))
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (!isUp) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!rest.latin1Slice(0, 12).endsWith('101')) reject(new Error(rest.latin1Slice(0, 200)))
        rest = rest.subarray(end + 4)
        isUp = true
        resolve(ask)
      }
      for (;;) {
        if (rest.length < 4) return
        const short = rest[1] & 127
        const from = short === 126 ? 4 : short === 127 ? 10 : 2
        const length = short === 126 ? rest.readUInt16BE(2) : short
        if (rest.length < from + length) return
        const opcode = rest[0] & 15
        const text = opcode === 1 ? rest.toString('utf8', from, from + length) : ''
        rest = rest.subarray(from + length)
        if (opcode === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
        if (!text.startsWith('{"id":') && !text.includes('"id":')) continue
        const answer = JSON.parse(text)
        waiting.get(answer.id)?.(answer)
        waiting.delete(answer.id)
      }
    })
  })
}

const keyOf = (number) => `${mode.charCodeAt(0)}${mode.charCodeAt(2)}${number}`.padStart(32, '0')
const nobody = () => ({ include: { walletAccount: [encodeBase58(randomBytes(32))] } })
const oldPlace = () => {
  const slot = randomInt(Number(firstSlot), Number(lastSlot))
  return formatCursor({ run: 0, slot, transactionIndex: randomInt(600), eventIndex: 0 })
}

const ACTS = {
  async honest(ask) {
    await wait(randomInt(PING_EVERY_MS))
    setInterval(async () => {
      const at = performance.now()
      await ask('ping')
      latencies.push(performance.now() - at)
    }, PING_EVERY_MS)
  },
  async resuming(ask) {
    const params = nobody()
    for (;;) {
      const { result, error } = await ask('swapSubscribe', { ...params, resume_from: oldPlace() })
      if (result) {
        counts.resumed++
        await ask('swapUnsubscribe', { subscription_id: result.subscription_id })
        continue
      }
      if (error.code === -32029) counts.refused++
      else counts.other++
      await wait(REFUSED_MS)
    }
  },
  async replaying(ask) {
    const { error } = await ask('swapSubscribe', { ...nobody(), resume_from: oldPlace() })
    if (error) throw new Error(error.message)
    counts.resumed++
  },
}

const clients = []
process.on('disconnect', () => process.exit(0))
process.on('message', async (message) => {
  if (message === 'open') {
    for (let number = 0; number < Number(count); number++) clients.push(await open(number))
    process.send('open')
  } else if (message === 'act') for (const ask of clients) void ACTS[mode](ask)
  else if (message === 'measure') {
    latencies = []
    Object.assign(counts, { resumed: 0, refused: 0, other: 0 })
  } else {
    const times = latencies.sort((first, second) => first - second)
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
    process.send({ ...counts, pings: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) })
  }
})
process.send('ready')

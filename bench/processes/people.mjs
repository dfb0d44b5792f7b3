// Interactive clients: the ws library, each with its own account and a subscription. They ping on request and time the
// answers, or resume at old cursors again and again.
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { libraryOf, product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { encodeBase58, formatCursor } = await product('packages/contract/src/index.ts')

const WebSocket = libraryOf('apps/gateway', 'ws')
const { url } = args
/** Milliseconds before a refused client asks again: within the rate of requests. */
const REFUSED_MS = 250
const RATE_LIMITED = -32_029
const GAP = Buffer.from('"gapNotification"')
const people = []
const counts = {}
let latencies = []
const begin = () => {
  latencies = []
  Object.assign(counts, { received: 0, gaps: 0, closed: 0, refused: 0, resumed: 0 })
}
begin()

serve(undefined, {
  /** Connections opened at a time: a busy machine looks up keys at its own pace. */
  async open({ clients, atOnce = 5 }) {
    const left = [...clients].reverse()
    const worker = async () => {
      for (let client = left.pop(); client; client = left.pop()) await open(client)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  },
  /** Each pings this often, whatever became of its last ping; evenly, one after the other. */
  ping({ everyMs }) {
    for (const [number, person] of people.entries())
      setTimeout(() => setInterval(() => ping(person), everyMs), (number * everyMs) / people.length)
  },
  resumeAgain: (slots) => {
    for (const person of people) void resumeAgain(person, slots)
  },
  replay: (slots) => Promise.all(people.map((person) => resume(person, slots))),
  begin,
  read() {
    const now = performance.now()
    // A client without an answer yet has waited at least as long.
    const open = people.flatMap(({ pings }) => [...pings.values()].map((began) => now - began))
    return { ...counts, latencies: [...latencies, ...open] }
  },
})

async function open({ key, params }) {
  const socket = await connect(key)
  const person = { socket, asked: 0, answers: new Map(), pings: new Map() }
  people.push(person)
  socket.on('close', () => counts.closed++)
  socket.on('message', (data) => {
    if (!data.includes('"id":')) {
      counts.received++
      if (data.includes(GAP)) counts.gaps++
      return
    }
    const answer = JSON.parse(data)
    person.answers.get(answer.id)?.(answer)
    person.answers.delete(answer.id)
  })
  if (params && (await ask(person, 'swapSubscribe', params)).error) counts.refused++
}

/** Tries again if the service is too busy to look up the key. */
async function connect(key) {
  for (let tries = 1; ; tries++) {
    const socket = new WebSocket(url, { headers: { 'X-API-KEY': key }, perMessageDeflate: false })
    try {
      await once(socket, 'open')
      return socket
    } catch (error) {
      if (tries === 10) throw error
      await wait(1_000)
    }
  }
}

function ask(person, method, params) {
  const id = ++person.asked
  person.socket.send(JSON.stringify({ id, method, params }))
  return new Promise((resolve) => person.answers.set(id, resolve))
}

async function ping(person) {
  const began = performance.now()
  const number = person.asked + 1
  person.pings.set(number, began)
  const { error } = await ask(person, 'ping')
  person.pings.delete(number)
  if (error) throw new Error(error.message)
  latencies.push(performance.now() - began)
}

/** Resumes at a random old cursor with a filter that nothing matches. */
async function resume(person, { first, last }) {
  const place = { run: 1, slot: randomInt(first, last), transactionIndex: randomInt(600), eventIndex: 0 }
  const answer = await ask(person, 'swapSubscribe', {
    include: { walletAccount: [encodeBase58(randomBytes(32))] },
    resume_from: formatCursor(place),
  })
  if (answer.result) counts.resumed++
  else if (answer.error.code === RATE_LIMITED) counts.refused++
  else throw new Error(answer.error.message)
  return answer.result?.subscription_id
}

async function resumeAgain(person, slots) {
  for (;;) {
    const id = await resume(person, slots)
    if (id === undefined) await wait(REFUSED_MS)
    else await ask(person, 'swapUnsubscribe', { subscription_id: id })
  }
}

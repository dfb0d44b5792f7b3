// A program that reads swaps through one client, looks at each, and counts those that are missing between two.
import { importBundled, loadPeer } from '../harness/bundled.mjs'
import { now } from '../harness/clock.mjs'
import { createMeter } from '../harness/meter.mjs'
import { libraryOf } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { by, url, key = '0'.repeat(32), retryMaxMs = 30_000 } = args
const WebSocket = libraryOf('packages/client', 'ws')
const SUBSCRIBE = '{"id":1,"method":"swapSubscribe"}'
const meter = createMeter()
let counts
let began
let last
let stream
/** What an iterating reader waits for before it asks for its next event. */
let held
let goOn
/** Whether the line has reopened and brought no event yet, and who is told of the first. */
let isFresh = false
let isBack = () => {}

const READERS = {
  ws() {
    const socket = new WebSocket(url, { headers: { 'X-API-KEY': key } })
    socket.on('open', () => socket.send(SUBSCRIBE))
    socket.on('message', hear)
  },
  'reconnecting-websocket': () => readByPeer(loadPeer('reconnecting-websocket')),
  partysocket: () => readByPeer(loadPeer('partysocket/ws').default),
  'on(event)': () => stream.on('event', note),
  async 'for await'() {
    for await (const event of stream) {
      note(event)
      if (held) await held
    }
  },
}

begin()
if (by === 'on(event)' || by === 'for await') {
  const { createPairwire } = await importBundled("export * from './packages/client/src/index-node.ts'")
  const onState = (state) => {
    isFresh ||= state === 'open'
  }
  stream = createPairwire({ url, key, retryMaxMs, WebSocket, onState }).swaps()
}
void READERS[by]()

serve(undefined, {
  begin,
  read: () => ({
    ...counts,
    ...meter.read(),
    ...{ seconds: (performance.now() - began) / 1_000, stats: stream?.stats() },
    behindMs: last && now() - Number(last.signature.slice(1)) / 1e6,
  }),
  hold() {
    held = new Promise((resolve) => {
      goOn = resolve
    })
  },
  goOn() {
    held = undefined
    goOn()
  },
  /** When the first event came after the line's next opening. */
  back: () =>
    new Promise((resolve) => {
      isBack = resolve
    }),
})

function begin() {
  counts = { events: 0, missing: 0 }
  began = performance.now()
  meter.begin()
}

function readByPeer(Socket) {
  const socket = new Socket(`${url}?key=${key}`, [], { WebSocket })
  socket.addEventListener('open', () => socket.send(SUBSCRIBE))
  socket.addEventListener('message', ({ data }) => hear(data))
}

function hear(text) {
  const { method, params } = JSON.parse(text)
  if (method === 'swapNotification') note(params)
}

function note(event) {
  counts.events++
  if (last) counts.missing += event.swap.baseAmount - last.swap.baseAmount - 1
  last = event
  if (!isFresh) return
  isFresh = false
  isBack(now())
}

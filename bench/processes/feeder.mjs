// A Yellowstone stream as fast as the client reads it, or from `start` on at `rate` transactions per second, in blocks at the
// chain's pace, of recorded transactions encoded once with the official .proto.
import { openAllRecordings, takeTypeScript } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

takeTypeScript()
const { decodeMessage, encodeBlockMeta, encodeMessage, encodeSlotStatus, encodeTransaction, SLOT_STATUS } =
  await import('../../packages/chain-double/src/geyser.ts')
const { frame, serveGrpc, STATUS } = await import('../../packages/chain-double/src/grpc-server.ts')

/** Large enough to always take five bytes. */
const FIRST_SLOT = 454_000_000
const SLOT_MS = 250
/** Bytes that may wait in the socket. */
const QUEUED_BYTES = 4 * 1024 * 1024
const FILTERS = ['pairwire']
/** Different blocks at a rate, so that each record occurs about as often as the others. */
const BLOCKS = 8

const { rate = 0 } = args
const { FOLDERS, recordings } = await openAllRecordings()
const records = FOLDERS.flatMap((folder) => recordings.read(folder)).map((recording) => recording.read())
const blocks = encodeBlocks(rate > 0 ? Math.round((rate * SLOT_MS) / 1000) : records.length)
let slot = FIRST_SLOT
let begin
const started = new Promise((resolve) => {
  begin = resolve
})
if (rate === 0) begin()

const version = JSON.stringify({ version: { package: 'yellowstone-grpc-geyser', version: '15.1.2' } })
const { port } = await serveGrpc({
  '/geyser.Geyser/GetVersion': (call) =>
    call.onMessage(() => {
      call.write(encodeMessage('GetVersionResponse', { version }))
      call.end(STATUS.ok)
    }),
  '/geyser.Geyser/Subscribe': (call) => {
    call.accept()
    let isStreaming = false
    call.onMessage((bytes) => {
      if (isStreaming || decodeMessage('SubscribeRequest', bytes).ping) return
      isStreaming = true
      started.then(() => stream(call))
    })
  },
})
const lengths = blocks.flat().map(({ bytes }) => bytes.length)
const meanBytes = lengths.reduce((sum, length) => sum + length) / lengths.length
serve({ port, transactions: records.length, meanBytes }, { start: () => begin() })

/** The frames of some blocks, each with the offset of its slot; no index occurs twice in a block. */
function encodeBlocks(perBlock) {
  const mark = Buffer.from([0x10, ...varint(FIRST_SLOT)])
  return Array.from({ length: rate > 0 ? BLOCKS : 1 }, (_, at) => {
    const recordAt = (index) => records[(at * perBlock + index) % records.length]
    const transactions = Array.from({ length: perBlock }, (_, index) => recordAt(index))
    const block = { slot: FIRST_SLOT, bankId: 1, transactions }
    return transactions.map((_, index) => {
      const bytes = frame(encodeTransaction(block, index, FILTERS))
      return { bytes, slotAt: bytes.lastIndexOf(mark) + 1 }
    })
  })
}

function varint(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) | 0x80)
  }
}

/** Sends what is due, or as much as the client reads. */
function stream(call) {
  let isOpen = true
  let dueAt = Date.now()
  call.onClose(() => {
    isOpen = false
  })
  const go = () => {
    if (!isOpen) return
    if (rate > 0) for (; Date.now() >= dueAt; dueAt += SLOT_MS) call.writeRaw(nextBlock())
    else while (call.queued() < QUEUED_BYTES) call.writeRaw(nextBlock())
    setTimeout(go, rate > 0 ? dueAt - Date.now() : 1)
  }
  go()
}

/** The next slot: its transactions, its end, and its confirmation. */
function nextBlock() {
  slot++
  const place = Buffer.from(varint(slot))
  const transactions = blocks[slot % blocks.length]
  const frames = transactions.map(({ bytes, slotAt }) => {
    const copy = Buffer.from(bytes)
    place.copy(copy, slotAt)
    return copy
  })
  const block = {
    ...{ slot, bankId: 1, parentSlot: slot - 1, blockHeight: slot - 20_000_000 },
    ...{ blockhash: `hash ${slot}`, parentBlockhash: `hash ${slot - 1}` },
    ...{ blockTime: Math.floor(Date.now() / 1000), transactions },
  }
  const status = encodeSlotStatus(block, SLOT_STATUS.confirmed, FILTERS)
  return Buffer.concat([...frames, frame(encodeBlockMeta(block, FILTERS)), frame(status)])
}

// A Yellowstone stream as fast as the client takes it, or from `start` on at so many transactions a second (`rate`), of
// recorded transactions that were encoded once by the owners' own .proto.
import { openAllRecordings, takeTypeScript } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

takeTypeScript()
const { decodeMessage, encodeBlockMeta, encodeMessage, encodeSlotStatus, encodeTransaction, SLOT_STATUS } =
  await import('../../packages/chain-double/src/geyser.ts')
const { frame, serveGrpc, STATUS } = await import('../../packages/chain-double/src/grpc-server.ts')

/** Large enough that it always takes five bytes. */
const FIRST_SLOT = 454_000_000
const SLOT_MS = 250
/** Bytes that may wait in the socket. */
const QUEUED_BYTES = 4 * 1024 * 1024

const FILTERS = ['pairwire']

/** The recorded transactions that are of a form which a block holds. */
async function readRecords() {
  const { FOLDERS, recordings } = await openAllRecordings()
  return FOLDERS.flatMap((folder) => recordings.read(folder)).map((recording) => recording.read())
}

/** Different blocks of so many transactions, so that each record comes about as often as the others. */
const BLOCKS = 8

/** The frames of some blocks, each frame with the place where its slot stands; no index comes twice in a block. */
function encodeBlocks(records, perBlock) {
  const mark = Buffer.from([0x10, ...varint(FIRST_SLOT)])
  const count = perBlock === records.length ? 1 : BLOCKS
  return Array.from({ length: count }, (_, at) => {
    const first = at * perBlock
    const transactions = Array.from(
      { length: perBlock },
      (_, index) => records[(first + index) % records.length],
    )
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

await feed(args.rate ?? 0)

/** `rate`: transactions a second, in blocks at the chain's pace, from `start` on; 0 for as fast as they are taken. */
async function feed(rate) {
  const records = await readRecords()
  const perBlock = rate > 0 ? Math.round((rate * SLOT_MS) / 1000) : records.length
  const blocks = encodeBlocks(records, perBlock)
  let slot = FIRST_SLOT
  let begin
  const started =
    rate > 0
      ? new Promise((resolve) => {
          begin = resolve
        })
      : Promise.resolve()

  const nextBlock = () => {
    slot++
    const place = Buffer.from(varint(slot))
    const parts = []
    const frames = blocks[slot % blocks.length]
    for (const { bytes, slotAt } of frames) {
      const copy = Buffer.from(bytes)
      place.copy(copy, slotAt)
      parts.push(copy)
    }
    const block = {
      ...{ slot, bankId: 1, parentSlot: slot - 1, blockHeight: slot - 20_000_000 },
      ...{ blockhash: `hash ${slot}`, parentBlockhash: `hash ${slot - 1}` },
      ...{ blockTime: Math.floor(Date.now() / 1000), transactions: frames },
    }
    parts.push(frame(encodeBlockMeta(block, FILTERS)))
    parts.push(frame(encodeSlotStatus(block, SLOT_STATUS.confirmed, FILTERS)))
    return Buffer.concat(parts)
  }

  const stream = (call) => {
    let isOpen = true
    let dueAt = 0
    call.onClose(() => {
      isOpen = false
    })
    const go = () => {
      if (!isOpen) return
      if (rate > 0) {
        dueAt ||= Date.now()
        for (; Date.now() >= dueAt; dueAt += SLOT_MS) call.writeRaw(nextBlock())
        setTimeout(go, dueAt - Date.now())
        return
      }
      while (call.queued() < QUEUED_BYTES) call.writeRaw(nextBlock())
      setTimeout(go, 1)
    }
    started.then(go)
  }

  const version = JSON.stringify({ version: { package: 'yellowstone-grpc-geyser', version: '15.1.2' } })
  const server = await serveGrpc({
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
        stream(call)
      })
    },
  })
  const frames = blocks.flat()
  const bytes = frames.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const meanBytes = bytes / frames.length
  serve({ port: server.port, transactions: records.length, meanBytes }, { start: () => begin() })
}

import { register } from 'tsx/esm/api'

register()
const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
const { formatCursor } = await import('@pairwire/contract')
const { makeEvent } = await import('./fanout/message.mjs')

/** A bus on nats-server for what a bench publishes, and the blocks that it does. */
export async function openBus(url) {
  const bus = await openNatsBus({
    address: readNatsAddress(url),
    source: 'chain',
    retention: { milliseconds: 3_600_000, bytes: 1e9 },
    maxBytes: 1e6,
    takeOverMs: 0,
    log: { info() {}, warn: console.warn },
  })
  let slot = 1
  return {
    /** The swaps of the next slot. */
    makeBlock(swaps) {
      slot++
      return Array.from({ length: swaps }, (_, transactionIndex) => ({
        ...makeEvent(),
        cursor: formatCursor({ run: 1, slot, transactionIndex, eventIndex: 0 }),
      }))
    },
    /** Publishes the block made last. */
    publish: (events) => void bus.publish(events, String(slot)),
    close: () => bus.close(),
  }
}

// A sender light enough not to compete with the browser for the machine: frames are built once, and only the ten digits of
// their block time are rewritten before each is sent.
import { makePackedSlot } from './events.mjs'
import { serverFrame } from './websocket.mjs'

const FRAMES = 2_000
/** One event in this many is a new pair. */
const PAIR_EVERY = 37
const TICK_MS = 20
const BLOCK_MS = 400

/** The frames of a market, built before anything is measured. */
export function makeFrames() {
  return makePackedSlot(FRAMES).map((swap, at) =>
    at % PAIR_EVERY === 0
      ? frame({ method: 'newPairNotification', params: pairOf(swap), cursor: swap.cursor })
      : frame({ method: 'swapNotification', params: swap.params, cursor: swap.cursor }),
  )
}

/** Sends `perSecond` events per second for `seconds`, or until the socket closes. Returns the number sent. */
export async function sendEvents(socket, frames, { perSecond, seconds }) {
  const started = performance.now()
  let sent = 0
  let blocks = 0
  for (;;) {
    const age = performance.now() - started
    const due = Math.floor((Math.min(age, seconds * 1000) / 1000) * perSecond)
    const parts = []
    if (age >= blocks * BLOCK_MS) parts.push(frame(aBlock(blocks++)).bytes)
    const now = String(Math.floor(Date.now() / 1000))
    for (; sent < due; sent++) {
      const { bytes, timeAt } = frames[sent % FRAMES]
      bytes.write(now, timeAt, 'latin1')
      // A frame may be due twice in one write only if there are more events than frames.
      parts.push(due - sent > FRAMES ? Buffer.from(bytes) : bytes)
    }
    if (parts.length > 0 && !socket.destroyed) socket.write(Buffer.concat(parts))
    if (socket.destroyed || age >= seconds * 1000) return sent
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

/** The pair of a swap's token, as at the creation of its curve. */
function pairOf({ params: { swap, ...place } }) {
  const metadata = {
    name: `Token ${swap.baseTokenMint.slice(0, 6)}`,
    symbol: 'KELP',
    logo: null,
    socials: null,
  }
  return {
    ...place,
    pair: {
      ...{ sourceExchange: 'pumpfun', ammAccount: swap.ammAccount, migration: null },
      baseToken: { account: swap.baseTokenMint, info: { decimals: 6, supply: '1000000000000000', metadata } },
      quoteToken: { account: swap.quoteTokenMint, info: null },
      ...{ baseTokenLiquidityAdded: '793100000000000', quoteTokenLiquidityAdded: '0' },
    },
  }
}

function aBlock(index) {
  const blockTime = Math.floor(Date.now() / 1000)
  const params = { block: 398_214_771 + index, blockTime }
  return { method: 'latestBlockNotification', params, cursor: `000000000001.398214771.${index}` }
}

/** A notification's frame, and the offset of its block time. */
function frame(notification) {
  const bytes = serverFrame(Buffer.from(JSON.stringify({ subscription_id: 2, ...notification })))
  return { bytes, timeAt: bytes.indexOf('"blockTime":') + '"blockTime":'.length }
}

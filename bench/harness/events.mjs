// The events that benchmark services publish: swaps whose notification takes exactly `PAYLOAD_BYTES`, with their creation
// time in them, or swaps that compress on disk about as well as real ones.
import { randomBytes, randomInt } from 'node:crypto'
import { product } from './product.mjs'

const { encodeBase58, formatCursor, parseCursor, WRAPPED_SOL } = await product(
  'packages/contract/src/index.ts',
)

/** Bytes of JSON in one message; the header of its websocket frame adds 4. */
const PAYLOAD_BYTES = 600
export const FRAME_BYTES = PAYLOAD_BYTES + 4

/** The text before the digits of the time stamp: nanoseconds of the monotonic clock, shared by all processes. */
export const MARK = '"signature":"t'
export const STAMP_DIGITS = 19

/** Tokens that are traded in turn; of one length, as all messages are. */
export const MINTS = Array.from({ length: 200 }, (_, number) =>
  encodeBase58(new Uint8Array(32).fill(number + 20)),
)
  .filter((mint) => mint.length === 44)
  .slice(0, 50)

export const FIRST_SLOT = 400_000_001
let slot = FIRST_SLOT - 1
/** Twelve-digit numbers for events, one after the other. */
let serial = 100_000_000_000
let padding

/** Continues after the slot of a cursor. */
export function goOnBehind(cursor) {
  slot = parseCursor(cursor).slot
}

/** The swaps of the next slot, for subscription 1 of `FRAME_BYTES` each. */
export function makeSlot(swaps) {
  slot++
  return Array.from({ length: swaps }, (_, transactionIndex) => makeSwap(transactionIndex))
}

function makeSwap(transactionIndex) {
  serial++
  const event = eventOf(transactionIndex, stampOf(), 1_795_000_000, {
    ammAccount: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    baseTokenMint: MINTS[serial % MINTS.length],
    walletAccount: '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
    quotePrice: '',
    usdValue: 1234.5,
    baseAmount: String(serial),
    quoteAmount: '1234567890',
    swapType: 'buy',
    quoteTokenLiquidity: '',
  })
  padding ??= PAYLOAD_BYTES - Buffer.byteLength(textOf(event))
  event.params.swap.quotePrice = '1'.repeat(padding)
  return event
}

function eventOf(transactionIndex, signature, blockTime, swap) {
  return {
    kind: 'swap',
    cursor: formatCursor({ run: 1, slot, transactionIndex, eventIndex: 0 }),
    params: {
      ...{ slot, signature, blockTime },
      swap: { sourceExchange: 'pumpswap', quoteTokenMint: WRAPPED_SOL, ...swap },
    },
  }
}

/** The time in a swap's signature. */
export function stampOf() {
  return `t${String(process.hrtime.bigint()).padStart(STAMP_DIGITS, '0')}`
}

/** The notification as JSON, as a gateway sends it. */
export function textOf({ params, cursor }) {
  return `{"subscription_id":1,"method":"swapNotification","params":${JSON.stringify(params)},"cursor":"${cursor}"}`
}

const someAccounts = (count) => Array.from({ length: count }, () => encodeBase58(randomBytes(32)))
const wallets = someAccounts(3_000)
const mints = someAccounts(300)
const pools = someAccounts(300)

/** The swaps of the next slot, which compress like real ones: accounts repeat, signatures and amounts do not. */
export function makePackedSlot(swaps) {
  slot++
  const blockTime = 1_795_000_000 + Math.floor((slot - FIRST_SLOT) * 0.4)
  return Array.from({ length: swaps }, (_, transactionIndex) => {
    const token = randomInt(mints.length)
    // Random, but shorter than a real one: what counts is how well the events compress. Other lengths encode slowly.
    const signature = someAccounts(2).join('').slice(0, 62).padEnd(88, '1')
    return eventOf(transactionIndex, signature, blockTime, {
      ammAccount: pools[token],
      baseTokenMint: mints[token],
      walletAccount: wallets[randomInt(wallets.length)],
      quotePrice: `0.000${randomInt(1e9)}${randomInt(1e9)}`,
      usdValue: randomInt(1e6) / 100,
      baseAmount: String(randomInt(1e14)),
      quoteAmount: String(randomInt(1e11)),
      swapType: randomInt(2) ? 'buy' : 'sell',
      quoteTokenLiquidity: String(randomInt(1e12)),
    })
  })
}

// The message of this benchmark: a swap notification of exactly `PAYLOAD_BYTES`, with the time of its making in it.
import { encodeBase58, formatCursor, WRAPPED_SOL } from '@pairwire/contract'

/** Bytes of JSON in one message; the header of its websocket frame adds 4. */
const PAYLOAD_BYTES = 600
export const FRAME_BYTES = PAYLOAD_BYTES + 4

/** What stands before the 19 digits of the time stamp (nanoseconds of the monotonic clock, common to all processes). */
export const MARK = '"signature":"t'

/** Tokens that are traded in turn; of one length, as all messages are. */
export const MINTS = Array.from({ length: 200 }, (_, number) =>
  encodeBase58(new Uint8Array(32).fill(number + 20)),
)
  .filter((mint) => mint.length === 44)
  .slice(0, 50)

let slot = 400_000_000

/** A swap event, its signature cut short, whose frame for subscription 1 takes `FRAME_BYTES`. */
export function makeEvent() {
  slot++
  const event = {
    kind: 'swap',
    cursor: formatCursor({ run: 1, slot, transactionIndex: 0, eventIndex: 0 }),
    params: {
      slot,
      signature: stampOf(),
      blockTime: 1_795_000_000,
      swap: {
        sourceExchange: 'pumpswap',
        ammAccount: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
        baseTokenMint: MINTS[slot % MINTS.length],
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
        quotePrice: '',
        usdValue: 1234.5,
        baseAmount: '123456789012',
        quoteAmount: '1234567890',
        swapType: 'buy',
        quoteTokenLiquidity: '',
      },
    },
  }
  padding ??= PAYLOAD_BYTES - Buffer.byteLength(textOf(event))
  event.params.swap.quotePrice = '1'.repeat(padding)
  return event
}

/** The time, as it stands in a swap's signature. */
export function stampOf() {
  return `t${String(process.hrtime.bigint()).padStart(19, '0')}`
}

let padding

/** The notification as JSON, as a gateway sends it. */
export function textOf({ params, cursor }) {
  return `{"subscription_id":1,"method":"swapNotification","params":${JSON.stringify(params)},"cursor":"${cursor}"}`
}

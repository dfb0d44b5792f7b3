// Fills a store: `node old-store.mjs <folder> <files>`, files of 16 MB each, of swaps that pack about as well as real
// ones: accounts come again, signatures and amounts do not. Prints the first and last slot and how many events there are.
import { randomBytes, randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { register } from 'tsx/esm/api'

register()
const { encodeBase58, formatCursor, WRAPPED_SOL } = await import('@pairwire/contract')
const { openEventLog } = await import('../../packages/bus/src/event-log.ts')
const { writeRecord } = await import('../../packages/bus/src/event-record.ts')

export const FIRST_SLOT = 400_000_001
const SWAPS = 600
const RECORD_SWAPS = 256
const PACKED_SLOTS = 8

const someAccounts = (count) => Array.from({ length: count }, () => encodeBase58(randomBytes(32)))
const wallets = someAccounts(3_000)
const mints = someAccounts(300)
const pools = someAccounts(300)
const oneOf = (list) => list[randomInt(list.length)]
/** Of random bytes, half of what a real signature has: how much the events pack is what counts. */
const signature = () => encodeBase58(randomBytes(45)).padEnd(88, '1')

/** The swaps of a slot. */
export function slotOf(slot, swaps = SWAPS) {
  return Array.from({ length: swaps }, (_, transactionIndex) => {
    const token = randomInt(mints.length)
    return {
      kind: 'swap',
      cursor: formatCursor({ run: 0, slot, transactionIndex, eventIndex: 0 }),
      params: {
        slot,
        signature: signature(),
        blockTime: 1_795_000_000 + Math.floor((slot - FIRST_SLOT) * 0.4),
        swap: {
          sourceExchange: 'pumpswap',
          ammAccount: pools[token],
          baseTokenMint: mints[token],
          quoteTokenMint: WRAPPED_SOL,
          walletAccount: oneOf(wallets),
          quotePrice: `0.000${randomInt(1e9)}${randomInt(1e9)}`,
          usdValue: randomInt(1e6) / 100,
          baseAmount: String(randomInt(1e14)),
          quoteAmount: String(randomInt(1e11)),
          swapType: randomInt(2) ? 'buy' : 'sell',
          quoteTokenLiquidity: String(randomInt(1e12)),
        },
      },
    }
  })
}

async function fill(folder, files) {
  const retention = { milliseconds: 86_400_000, bytes: 1e10 }
  const log = await openEventLog({ folder, kind: 'chain', retention, now: Date.now, warn: console.error })
  let slot = FIRST_SLOT
  const isFull = () => readdirSync(folder).length > files || log.size() >= files * 16 * 1024 * 1024
  while (!isFull()) {
    const some = Array.from({ length: PACKED_SLOTS }, () => slotOf(slot++))
    const records = some.flatMap((swaps) =>
      Array.from({ length: Math.ceil(SWAPS / RECORD_SWAPS) }, (_, at) => {
        const to = (at + 1) * RECORD_SWAPS
        return writeRecord(swaps.slice(at * RECORD_SWAPS, to), to >= SWAPS)
      }),
    )
    await log.append(await Promise.all(records), some.at(-1).at(-1).cursor)
  }
  await log.close()
  process.send({ first: FIRST_SLOT, last: slot - 1, events: (slot - FIRST_SLOT) * SWAPS, bytes: log.size() })
}

if (process.argv[1].endsWith('old-store.mjs')) {
  const [folder, files] = process.argv.slice(2)
  await fill(folder, Number(files))
  process.disconnect()
}

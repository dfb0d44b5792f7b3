import { createHash } from 'node:crypto'
import { encodeBase58, formatCursor, LAST_PLACE, type StreamEvent, type Swap } from '@pairwire/contract'

/** Unix seconds of the hour 20261123-130000. */
export const ONE_O_CLOCK = Date.UTC(2026, 10, 23, 13) / 1000

/** The hash of a block in {@link aStreamBlock}. */
export const hashOf = (slot: number): string =>
  encodeBase58(createHash('sha256').update(String(slot)).digest())

/** Members of a stream block that differ from the default. */
type BlockChange = Readonly<{
  run?: number
  blockTime?: number
  swaps?: readonly Partial<Swap>[]
  pairs?: readonly string[]
  parent?: number
  hasHashes?: boolean
}>

/** The events of a block: pairs with these token names, swaps, and the end of the block. */
export function aStreamBlock(slot: number, change: BlockChange = {}): StreamEvent[] {
  const { run = 0, blockTime = ONE_O_CLOCK + slot, swaps = [{}], pairs = [], parent = slot - 1 } = change
  const receivedAt = blockTime * 1000 + 417
  const at = (transactionIndex: number) => ({
    cursor: formatCursor({ run, slot, transactionIndex, eventIndex: 0 }),
    receivedAt,
  })
  const place = (index: number) => ({ slot, signature: `${hashOf(slot)}${index}`, blockTime })
  const hashes = { blockhash: hashOf(slot), parentBlockhash: hashOf(parent) }
  return [
    ...pairs.map((name, index) => aPair(name, at(index), place(index))),
    ...swaps.map((swap, index) => {
      const params = { ...place(100 + index), swap: { ...SWAP, ...swap } }
      return { kind: 'swap', ...at(100 + index), params } as const
    }),
    {
      kind: 'latestBlock',
      cursor: formatCursor({ run, slot, ...LAST_PLACE }),
      params: { block: slot, blockTime },
      receivedAt,
      ...(change.hasHashes === false ? {} : hashes),
    },
  ]
}

/** A gap up to and including a slot. */
export function aStreamGap(fromSlot: number, toSlot: number, run = 0): StreamEvent {
  const cursor = formatCursor({ run, slot: toSlot, ...LAST_PLACE })
  return { kind: 'gap', cursor, params: { fromSlot, toSlot, cause: 'upstream', resume_from: null } }
}

/** An hour with every kind of event, the end of the previous hour and the beginning of the next. */
export function aFullHour(): StreamEvent[][] {
  const at = (slot: number, seconds: number, change: BlockChange = {}) =>
    aStreamBlock(slot, { blockTime: ONE_O_CLOCK + seconds, ...change })
  const beyond = { baseAmount: '340282366920938463463374607431768211455', quoteTokenLiquidity: '' }
  const many = Array.from({ length: 600 }, (_, index) => ({ baseAmount: String(index + 1) }))
  return [
    at(1, -2),
    at(2, -1),
    at(3, 0, { swaps: many }),
    at(4, 1, { swaps: [beyond, { usdValue: null, launchpad: null }], pairs: ['Ünïcode 😀', '名前'] }),
    ...[5, 6, 7].map((slot) => at(slot, slot, { swaps: [] })),
    [aStreamGap(8, 9)],
    at(10, 20, { parent: 9 }),
    at(11, -1, { swaps: many }),
    at(12, 3_599),
    at(13, 3_600),
  ]
}

const ADDRESS = hashOf(1)

const SWAP: Swap = {
  ...{ sourceExchange: 'pumpswap', ammAccount: ADDRESS, baseTokenMint: hashOf(2), quoteTokenMint: hashOf(3) },
  ...{ walletAccount: hashOf(4), quotePrice: '0.000000123456789012345', usdValue: 12.345678 },
  ...{ baseAmount: '1000000', quoteAmount: '2000000', swapType: 'buy', quoteTokenLiquidity: '3000000' },
}

function aPair(
  name: string,
  at: { cursor: string; receivedAt: number },
  place: { slot: number; signature: string; blockTime: number },
): StreamEvent {
  const socials = { website: 'https://example.org/é', x: null, telegram: null }
  const metadata = { name, symbol: name.slice(0, 4), logo: null, socials }
  const info = {
    decimals: 6,
    supply: '1000000000000000',
    metadata,
    mintAuthority: null,
    freezeAuthority: null,
  }
  const pair = {
    ...{ sourceExchange: 'pumpfun', launchpad: 'pumpfun', ammAccount: ADDRESS },
    ...{ baseToken: { account: hashOf(2), info }, quoteToken: { account: hashOf(3), info: null } },
    ...{ baseTokenLiquidityAdded: '18446744073709551616', quoteTokenLiquidityAdded: '0', migration: null },
  }
  return { kind: 'newPair', ...at, params: { ...place, pair } }
}

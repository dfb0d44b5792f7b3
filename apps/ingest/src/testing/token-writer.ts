import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TokenChange } from '@pairwire/decoders'
import { openTokenMemory } from '../tokens/token-memory.ts'
import { silentLog } from './silent-log.ts'

/**
 * A process that takes in tokens block by block until it is killed, and says the slot of each block that is on the disk: the first argument is the folder, the second how many blocks came before.
 */
const [, script, folder = '', before = '0'] = process.argv
if (script === fileURLToPath(import.meta.url)) {
  const memory = await openTokenMemory({ folder, source: 'chain', log: silentLog, segmentBytes: 4_096 })
  for (let slot = Number(before) + 1; ; slot++) {
    memory.apply(blockOf(slot), { run: 0, slot, transactionIndex: 0 })
    void memory.settle().then(() => process.send?.(slot))
    await setImmediate()
  }
}

/** Tokens made in the block of a slot, and one of the block before that is added to. */
export function blockOf(slot: number): TokenChange[] {
  const added = { ...aMadeToken(keyOf(slot - 1, 0)), decimals: null, supply: 5n }
  return [...[0, 1, 2].map((number) => aMadeToken(keyOf(slot, number))), added]
}

/** The mint that a slot's token of this number has. */
export function keyOf(slot: number, number: number): Uint8Array {
  return createHash('sha256').update(`${slot} ${number}`).digest()
}

function aMadeToken(account: Uint8Array): TokenChange {
  return {
    account,
    decimals: 6,
    supply: 1_000n,
    mintAuthority: null,
    freezeAuthority: null,
    metadata: { name: 'Sleepy Otter', symbol: 'OTTER', uri: 'https://metadata.example/1.json' },
    metadataAccount: null,
    isUnsure: false,
  }
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ChainTransaction } from '@pairwire/chain-double'

/** A transaction from the repository as it was recorded, with its block's time. */
export function recorded(
  program: string,
  name: string,
): { transaction: ChainTransaction; blockTime: number } {
  const file = `../../../../packages/decoders/src/programs/${program}/fixtures/${name}.json`
  const text = readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8')
  const { transaction } = JSON.parse(text)
  return { transaction, blockTime: transaction.blockTime }
}

import type { Instruction, TokenBalance, Transaction } from '../transaction.ts'

/** Draws from a generator that repeats for the same seed. */
type Draw = Readonly<{
  /** Integer from [0, below). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<Item>(items: readonly Item[]): Item
}>

/** Mulberry32: enough for experiments, and every run can be repeated. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(unit() * limit)
  return {
    below,
    chance: (probability) => unit() < probability,
    pick: (items) => items[below(items.length)]!,
  }
}

/** The same transaction with its instructions fully parsed, so that changes can be applied. */
export function withPlainInstructions(transaction: Transaction): Transaction {
  const instructions = transaction.instructions.map(
    ({ programIndex, accounts, data, stackHeight, topIndex, innerIndex }) => ({
      programIndex,
      accounts,
      data,
      stackHeight,
      topIndex,
      innerIndex,
    }),
  )
  return { ...transaction, instructions }
}

/**
 * Changes a transaction in one to three places, as a record may be broken or a program changed: bytes, accounts, whole
 * calls, their depth, logs or balances. `others` are calls that may replace one of its own.
 */
export function mutate(transaction: Transaction, others: readonly Instruction[], draw: Draw): Transaction {
  let mutated = transaction
  for (let left = 1 + draw.below(3); left > 0; left--) mutated = mutateOnce(mutated, others, draw)
  return mutated
}

function mutateOnce(transaction: Transaction, others: readonly Instruction[], draw: Draw): Transaction {
  const { instructions } = transaction
  if (instructions.length === 0) return transaction
  const at = draw.below(instructions.length)
  const instruction = instructions[at]!
  const replaced = (...by: Instruction[]): Transaction => ({
    ...transaction,
    instructions: [...instructions.slice(0, at), ...by, ...instructions.slice(at + 1)],
  })
  switch (draw.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return replaced({ ...instruction, data: mutateBytes(instruction.data, draw) })
    case 4:
      return replaced({ ...instruction, accounts: mutateBytes(instruction.accounts, draw) })
    case 5:
      return replaced({ ...instruction, data: mutateNumber(instruction.data, draw) })
    case 6:
      return replaced({
        ...instruction,
        data: instruction.data.subarray(0, draw.below(instruction.data.length + 1)),
      })
    case 7:
      return replaced({
        ...instruction,
        accounts: instruction.accounts.subarray(0, draw.below(instruction.accounts.length + 1)),
      })
    case 8:
      return replaced()
    case 9:
      return replaced(instruction, instruction)
    case 10: {
      const other = draw.pick(others)
      return replaced({ ...instruction, data: other.data })
    }
    case 11:
      return replaced({ ...instruction, stackHeight: draw.pick([null, 0, 1, 2, 3, 4]) })
    case 12:
      return replaced({ ...instruction, programIndex: draw.below(transaction.keys.length + 1) })
    case 13:
      return { ...transaction, logs: mutateLogs(transaction.logs, draw) }
    case 14:
      return { ...transaction, signerCount: draw.below(4) }
    default:
      return draw.chance(0.5)
        ? { ...transaction, preTokenBalances: mutateBalances(transaction.preTokenBalances, draw) }
        : { ...transaction, postTokenBalances: mutateBalances(transaction.postTokenBalances, draw) }
  }
}

function mutateBytes(bytes: Uint8Array, draw: Draw): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(draw.below(256))
  const mutated = bytes.slice()
  const at = draw.below(bytes.length)
  mutated[at] = draw.chance(0.5) ? draw.below(256) : mutated[at]! ^ (1 << draw.below(8))
  return mutated
}

/** Sets eight bytes, the size of an amount, to an extreme or random value. */
function mutateNumber(bytes: Uint8Array, draw: Draw): Uint8Array {
  if (bytes.length < 8) return bytes
  const mutated = bytes.slice()
  const at = draw.below(bytes.length - 7)
  const filler = draw.pick([0, 255, -1])
  for (let byte = 0; byte < 8; byte++) mutated[at + byte] = filler === -1 ? draw.below(256) : filler
  return mutated
}

function mutateLogs(logs: readonly string[] | null, draw: Draw): readonly string[] | null {
  if (logs === null || logs.length === 0 || draw.chance(0.2)) return null
  const at = draw.below(logs.length)
  const line = logs[at]!
  const changed = draw.pick(['Log truncated', '', line.slice(0, draw.below(line.length + 1)), `${line}A`])
  return [...logs.slice(0, at), ...(draw.chance(0.3) ? [] : [changed]), ...logs.slice(at + 1)]
}

function mutateBalances(balances: readonly TokenBalance[], draw: Draw): readonly TokenBalance[] {
  if (balances.length === 0) return balances
  const at = draw.below(balances.length)
  const balance = balances[at]!
  const changed = draw.pick<TokenBalance[]>([
    [],
    [balance, balance],
    [{ ...balance, amount: `${draw.below(1_000_000)}` }],
    [{ ...balance, amount: '18446744073709551615' }],
    [{ ...balance, decimals: draw.below(256) }],
    [{ ...balance, mint: draw.pick(balances).mint }],
    [{ ...balance, accountIndex: draw.pick(balances).accountIndex }],
  ])
  return [...balances.slice(0, at), ...changed, ...balances.slice(at + 1)]
}

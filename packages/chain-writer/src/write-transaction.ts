import { encodeBase58 } from '@pairwire/contract/base58'
import type { Instruction, TokenBalance, Transaction } from '@pairwire/decoders'

/**
 * A call in written form: with keys instead of indexes, and with its inner steps. An account is the same `Uint8Array`
 * object wherever it appears in a transaction.
 */
export type Call = Readonly<{
  program: Uint8Array
  accounts: readonly Uint8Array[]
  data: Uint8Array
  /** In order: its inner calls and its log lines. */
  steps?: readonly Step[]
}>

/** An inner call, or the text after `Program ` in a log line: `log: …` or `data: …`. */
export type Step = Call | string

/** A token account's balance before and after the transaction; null while the account does not exist. */
export type TokenMovement = Readonly<{
  account: Uint8Array
  /** Base58. */
  mint: string
  /** Base58. */
  owner: string
  decimals: number
  before: bigint | null
  after: bigint | null
}>

/** What {@link writeTransaction} needs. */
export type TransactionDraft = Readonly<{
  /** 64 bytes. */
  signature: Uint8Array
  slot: number
  /** Unix seconds. */
  blockTime: number
  index: number
  failed: boolean
  /** The first pays the fee. */
  signers: readonly Uint8Array[]
  calls: readonly Call[]
  movements: readonly TokenMovement[]
}>

/** Writes a transaction as a validator records it: flattened calls with depth, logs, balances before and after. */
export function writeTransaction({ signers, calls, movements, ...rest }: TransactionDraft): Transaction {
  const recorder = new Recorder(signers)
  for (const [topIndex, call] of calls.entries()) recorder.record(call, topIndex)

  const preTokenBalances: TokenBalance[] = []
  const postTokenBalances: TokenBalance[] = []
  for (const { account, mint, owner, decimals, before, after } of movements) {
    const accountIndex = recorder.indexOf(account)
    const kept = rest.failed ? before : after
    if (before !== null)
      preTokenBalances.push({ accountIndex, mint, owner, amount: String(before), decimals })
    if (kept !== null) postTokenBalances.push({ accountIndex, mint, owner, amount: String(kept), decimals })
  }

  return {
    ...rest,
    keys: recorder.keys,
    signerCount: signers.length,
    instructions: recorder.instructions,
    logs: recorder.logs,
    preTokenBalances,
    postTokenBalances,
  }
}

/** Bytes of logs after which a validator writes only `Log truncated`. */
const LOG_LIMIT_BYTES = 10_000

class Recorder {
  readonly keys: Uint8Array[] = []
  readonly instructions: Instruction[] = []
  readonly logs: string[] = []
  readonly #indexes = new Map<Uint8Array, number>()
  #logBytes = 0
  #inner = 0

  constructor(signers: readonly Uint8Array[]) {
    for (const signer of signers) this.indexOf(signer)
  }

  indexOf(key: Uint8Array): number {
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const index = this.keys.push(key) - 1
    this.#indexes.set(key, index)
    return index
  }

  record(call: Call, topIndex: number): void {
    this.#inner = 0
    this.#record(call, topIndex, 1)
  }

  #record(call: Call, topIndex: number, stackHeight: number): void {
    const accounts = new Uint8Array(call.accounts.length)
    for (let at = 0; at < accounts.length; at++) accounts[at] = this.indexOf(call.accounts[at]!)
    this.instructions.push({
      programIndex: this.indexOf(call.program),
      accounts,
      data: call.data,
      stackHeight,
      topIndex,
      innerIndex: stackHeight === 1 ? -1 : this.#inner++,
    })

    const name = programName(call.program)
    this.#log(`${name} invoke [${stackHeight}]`)
    for (const step of call.steps ?? []) {
      if (typeof step === 'string') this.#log(step)
      else this.#record(step, topIndex, stackHeight + 1)
    }
    this.#log(`${name} success`)
  }

  #log(line: string): void {
    if (this.#logBytes > LOG_LIMIT_BYTES) return
    this.#logBytes += line.length + 8
    this.logs.push(this.#logBytes > LOG_LIMIT_BYTES ? 'Log truncated' : `Program ${line}`)
  }
}

const programNames = new WeakMap<Uint8Array, string>()

function programName(program: Uint8Array): string {
  const known = programNames.get(program)
  if (known !== undefined) return known
  const name = encodeBase58(program)
  programNames.set(program, name)
  return name
}

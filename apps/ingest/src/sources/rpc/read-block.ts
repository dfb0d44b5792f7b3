import { type Clock, isObject } from '@pairwire/basics'
import {
  MalformedTransactionError,
  QUOTING_PROGRAMS,
  readRpcTransaction,
  TOKEN_PROGRAM,
  type Transaction,
} from '@pairwire/decoders'
import type { ChainBlock } from '../../slot-keeper/slot-assembly.ts'
import { readSlot } from '../chain/chain-numbers.ts'
import { FeedError } from '../chain/feed.ts'
import { BlockSplitter } from './block-splitter.ts'
import { type RpcClient, RpcError, resultOf } from './rpc-client.ts'

/**
 * An RPC's answer about a slot. `skipped`: it has no block. `notYet`: it has none yet, or was skipped too recently to
 * tell. `gone`: it is no longer kept.
 */
export type BlockAnswer =
  | Readonly<{ kind: 'block'; block: ChainBlock }>
  | Readonly<{ kind: 'skipped' | 'notYet' }>
  | Readonly<{ kind: 'gone'; firstAvailable: number | undefined }>

/** Error codes of a validator about slots. @see https://github.com/anza-xyz/agave rpc-client-api/src/custom_error.rs */
const CODE = {
  cleanedUp: -32001,
  notAvailable: -32004,
  nodeBehind: -32005,
  skipped: -32007,
  noSnapshot: -32008,
  skippedInLongTermStorage: -32009,
  historyNotAvailable: -32011,
  statusNotAvailableYet: -32014,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const

/** The newest transaction version that the decoders support. */
const MAX_VERSION = 1

/** Milliseconds of parsing in one turn, so that a block does not block the process's sockets. */
const STRETCH_MS = 4

/**
 * Requests the block of a slot, with those of its successful transactions that name one of `programs`. @throws
 * FeedError when the endpoint cannot be used, or answers with nonsense
 */
export async function readBlock(
  client: RpcClient,
  slot: number,
  programs: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<BlockAnswer> {
  const waiting: Buffer[] = []
  const transactions: Transaction[] = []
  const splitter = new BlockSplitter((bytes) => waiting.push(bytes))
  let index = 0
  const config = {
    encoding: 'json',
    transactionDetails: 'full',
    maxSupportedTransactionVersion: MAX_VERSION,
    rewards: false,
    commitment: 'confirmed',
  }
  for await (const chunk of client.stream('getBlock', [slot, config], signal)) {
    splitter.add(chunk)
    let began = performance.now()
    for (const bytes of waiting.splice(0)) {
      const transaction = readOne(bytes, slot, index++, programs)
      if (transaction) transactions.push(transaction)
      if (performance.now() - began < STRETCH_MS) continue
      await new Promise((resolve) => setImmediate(resolve))
      began = performance.now()
    }
  }
  try {
    return { kind: 'block', block: { ...headOf(resultOf(parse(splitter)), slot), transactions } }
  } catch (error) {
    if (error instanceof RpcError) return answerOf(error)
    throw error
  }
}

/** Milliseconds before a failed request is repeated: doubled each time up to the maximum. */
const FIRST_RETRY_MS = 200
const LAST_RETRY_MS = 3_000

/** How long requests to a failing endpoint are repeated. */
type Patience = Readonly<{
  attempts: number
  /** Whether to include an endpoint that does not answer at all. */
  alsoUnreachable: boolean
  clock: Clock
  signal: AbortSignal
}>

/** Does the same as {@link readBlock}, repeated as `patience` says: a failing endpoint may recover in a second. */
export async function readBlockPatiently(
  client: RpcClient,
  slot: number,
  programs: ReadonlySet<string>,
  { attempts, alsoUnreachable, clock, signal }: Patience,
): Promise<BlockAnswer> {
  let retryMs = FIRST_RETRY_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await readBlock(client, slot, programs, signal)
    } catch (error) {
      const kind = error instanceof FeedError ? error.kind : undefined
      const isPassing = kind === 'broken' || (kind === 'unreachable' && alsoUnreachable)
      if (!isPassing || attempt >= attempts) throw error
      await clock.wait(retryMs, signal)
      signal.throwIfAborted()
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
  }
}

function parse(splitter: BlockSplitter): unknown {
  try {
    return splitter.rest()
  } catch {
    throw new FeedError('broken', 'The endpoint answered with something that is not JSON.')
  }
}

/** Undefined for a failed transaction, or one of other programs. */
function readOne(
  bytes: Buffer,
  slot: number,
  index: number,
  programs: ReadonlySet<string>,
): Transaction | undefined {
  try {
    const record = JSON.parse(bytes.toString()) as Record<string, unknown>
    if (!isWanted(record, programs)) return undefined
    const transaction = readRpcTransaction({ ...record, slot, transactionIndex: index })
    if (!transaction) throw new MalformedTransactionError('The transaction has no `transaction`.')
    return transaction.failed ? undefined : transaction
  } catch (error) {
    const reason = error instanceof MalformedTransactionError ? error.message : 'It is not JSON.'
    throw new FeedError('broken', `Transaction ${index} of slot ${slot} could not be read. ${reason}`)
  }
}

/** Whether it names one of `programs`, or a program that mostly sets quotes and also tokens; true if unclear. */
function isWanted({ transaction, meta }: Record<string, unknown>, programs: ReadonlySet<string>): boolean {
  const keys = listAt(transaction, 'message', 'accountKeys')
  if (!keys) return true
  let [isQuoting, hasTokens] = [false, false]
  for (const list of [
    keys,
    listAt(meta, 'loadedAddresses', 'writable'),
    listAt(meta, 'loadedAddresses', 'readonly'),
  ]) {
    for (const key of list ?? []) {
      if (typeof key !== 'string') continue
      if (programs.has(key)) return true
      isQuoting ||= QUOTING_PROGRAMS.has(key)
      hasTokens ||= key === TOKEN_PROGRAM
    }
  }
  return isQuoting && hasTokens
}

function listAt(record: unknown, outer: string, inner: string): readonly unknown[] | undefined {
  const object = isObject(record) ? record[outer] : undefined
  const list = isObject(object) ? object[inner] : undefined
  return Array.isArray(list) ? list : undefined
}

function headOf(result: unknown, slot: number): Omit<ChainBlock, 'transactions'> {
  // Some endpoints answer null for a slot whose block they lack.
  if (result === null) throw new RpcError(CODE.notAvailable, 'no block')
  const { blockhash, parentSlot, previousBlockhash, blockTime } = isObject(result) ? result : {}
  if (typeof blockhash !== 'string' || typeof parentSlot !== 'number') {
    throw new FeedError(
      'broken',
      `The endpoint answered for slot ${slot} with something that is not a block.`,
    )
  }
  return {
    slot,
    blockhash,
    parentSlot: readSlot(parentSlot),
    parentBlockhash: typeof previousBlockhash === 'string' ? previousBlockhash : '',
    blockTime: typeof blockTime === 'number' ? blockTime : null,
  }
}

export function answerOf(error: RpcError): Exclude<BlockAnswer, { kind: 'block' }> {
  switch (error.code) {
    case CODE.skipped:
    case CODE.skippedInLongTermStorage:
      return { kind: 'skipped' }
    case CODE.notAvailable:
    case CODE.nodeBehind:
    case CODE.statusNotAvailableYet:
    case CODE.minContextSlot:
      return { kind: 'notYet' }
    case CODE.cleanedUp:
    case CODE.noSnapshot:
    case CODE.historyNotAvailable: {
      const first = /first available block:\s*(\d+)/i.exec(error.message)?.[1]
      return { kind: 'gone', firstAvailable: first === undefined ? undefined : Number(first) }
    }
    case CODE.unsupportedVersion:
      throw new FeedError(
        'unusable',
        `The chain has transactions of a version above ${MAX_VERSION}, which this release cannot read: ${error.message}`,
      )
    default:
      throw new FeedError('broken', `The endpoint cannot give blocks: ${error.message} (${error.code})`)
  }
}

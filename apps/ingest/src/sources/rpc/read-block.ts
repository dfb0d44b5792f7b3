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
 * What an RPC says of a slot. `skipped`: nobody made a block in it. `notYet`: it has none yet, or it was skipped so
 * lately that nobody can tell. `gone`: it is not kept any more.
 */
export type BlockAnswer =
  | Readonly<{ kind: 'block'; block: ChainBlock }>
  | Readonly<{ kind: 'skipped' | 'notYet' }>
  | Readonly<{ kind: 'gone'; firstAvailable: number | undefined }>

/** Error codes of a validator that tell of a slot. @see https://github.com/anza-xyz/agave rpc-client-api/src/custom_error.rs */
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

/** The newest version of transactions that the decoders know. */
const MAX_VERSION = 1

/** Milliseconds of parsing at a stretch, so that a block does not hold up the sockets of the same process. */
const STRETCH_MS = 4

/**
 * Asks for the block of a slot, with those of its transactions that did not fail and that name one of `programs`.
 * @throws FeedError when the endpoint cannot be used, or answers with nonsense
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

/** Milliseconds before a question that failed is asked again: doubled each time up to the last. */
const FIRST_RETRY_MS = 200
const LAST_RETRY_MS = 3_000

/** How long an endpoint that fails is asked again. */
type Patience = Readonly<{
  attempts: number
  /** Whether also one that does not answer at all is asked again. */
  alsoUnreachable: boolean
  clock: Clock
  signal: AbortSignal
}>

/** As {@link readBlock}, asked again as `patience` says: an endpoint that fails now may be well in a second. */
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

/** Undefined for a transaction that failed, or that is of other programs. */
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

/** Whether it names one of `programs`, or one that mostly sets quotes and tokens; also where nobody can tell. */
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
  // Some endpoints answer null for a slot of which they have no block.
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

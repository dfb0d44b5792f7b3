import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { decodeBase58 } from '@pairwire/contract'
import protobuf from 'protobufjs'
import type { Block } from './chain.ts'
import type { ChainInstruction, ChainTokenBalance, ChainTransaction } from './chain-transaction.ts'

/** Messages of the Geyser service as plain objects, encoded and decoded with the owners' `.proto`. */
export const geyser = loadGeyser()

/** A request with the field names of the `.proto`. */
export type SubscribeRequest = Readonly<{
  slots?: Readonly<Record<string, Readonly<{ filterByCommitment?: boolean; interslotUpdates?: boolean }>>>
  transactions?: Readonly<Record<string, TransactionFilter>>
  blocksMeta?: Readonly<Record<string, unknown>>
  commitment?: number
  ping?: Readonly<{ id: number }> | null
  fromSlot?: number | null
}>

/** The transactions that a client wants. */
export type TransactionFilter = Readonly<{
  vote?: boolean | null
  failed?: boolean | null
  signature?: string | null
  accountInclude?: readonly string[]
  accountExclude?: readonly string[]
  accountRequired?: readonly string[]
}>

/** Numbers of `SlotStatus`. */
export const SLOT_STATUS = {
  processed: 0,
  confirmed: 1,
  finalized: 2,
  firstShred: 3,
  completed: 4,
  createdBank: 5,
  dead: 6,
} as const

/** Encodes an update with one transaction. */
export function encodeTransaction(block: Block, index: number, filters: readonly string[]): Buffer {
  const { slot, bankId, transactions } = block
  const transaction = { ...infoOf(transactions[index]!), index }
  return encodeUpdate(filters, { transaction: { transaction, slot, bankId } })
}

/** Encodes an update that ends a block. */
export function encodeBlockMeta(block: Block, filters: readonly string[]): Buffer {
  const { slot, blockhash, parentSlot, parentBlockhash, bankId } = block
  const blockMeta = {
    slot,
    blockhash,
    rewards: { rewards: [] },
    blockTime: { timestamp: block.blockTime },
    blockHeight: { blockHeight: block.blockHeight },
    parentSlot,
    parentBlockhash,
    executedTransactionCount: block.transactions.length,
    entriesCount: Math.ceil(block.transactions.length / 8),
    bankId,
  }
  return encodeUpdate(filters, { blockMeta })
}

/** Encodes an update with a slot's status. */
export function encodeSlotStatus(
  { slot, parentSlot, bankId }: Pick<Block, 'slot' | 'parentSlot' | 'bankId'>,
  status: number,
  filters: readonly string[],
): Buffer {
  const isDead = status === SLOT_STATUS.dead
  const deadError = isDead ? { deadError: 'the double killed it' } : {}
  return encodeUpdate(filters, { slot: { slot, parent: parentSlot, status, bankId, ...deadError } })
}

/** Encodes an update that asks whether the client is alive. */
export function encodePing(): Buffer {
  return encodeUpdate([], { ping: {} })
}

/** Encodes the answer to a client's ping. */
export function encodePong(id: number): Buffer {
  return encodeUpdate([], { pong: { id } })
}

type Message = Readonly<Record<string, unknown>>

function encodeUpdate(filters: readonly string[], update: Message): Buffer {
  const createdAt = { seconds: Math.floor(Date.now() / 1000), nanos: 0 }
  return encodeMessage('SubscribeUpdate', { filters, ...update, createdAt })
}

/** Encodes any message of the service, by its name. */
export function encodeMessage(name: string, fields: Message): Buffer {
  const type = geyser.lookupType(`geyser.${name}`)
  return Buffer.from(type.encode(type.fromObject(fields)).finish())
}

/** Decodes any message of the service, by its name. @throws Error when the bytes are invalid */
export function decodeMessage(name: string, bytes: Buffer): Message {
  const type = geyser.lookupType(`geyser.${name}`)
  const message = type.decode(bytes)
  fillMaps(type, message as Message & protobuf.Message)
  return type.toObject(message, { longs: Number, defaults: false })
}

/** An empty message in a map has no bytes, such as a filter that accepts everything. */
function fillMaps({ fieldsArray }: protobuf.Type, message: Message): void {
  for (const { name, map } of fieldsArray) {
    const entries = map && (message[name] as Record<string, unknown> | undefined)
    for (const key of Object.keys(entries || {})) (entries as Record<string, unknown>)[key] ??= {}
  }
}

const infos = new WeakMap<ChainTransaction, Message>()

/** Fields of `SubscribeUpdateTransactionInfo` except the index. */
function infoOf(record: ChainTransaction): Message {
  const known = infos.get(record)
  if (known) return known
  const { message, signatures } = record.transaction
  const { meta } = record
  const version = record.version ?? 'legacy'
  const info = {
    signature: bytesOf(signatures[0]!),
    isVote: false,
    transaction: {
      signatures: signatures.map(bytesOf),
      message: {
        header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0, ...message.header },
        accountKeys: message.accountKeys.map(bytesOf),
        recentBlockhash: bytesOf(message.recentBlockhash ?? '11111111111111111111111111111111'),
        instructions: message.instructions.map(instructionOf),
        versioned: version !== 'legacy',
        ...(message.transactionConfig ? { config: configOf(message.transactionConfig) } : {}),
      },
    },
    meta: {
      ...(meta.err === null ? {} : { err: { err: Buffer.from(JSON.stringify(meta.err)) } }),
      fee: meta.fee ?? 5_000,
      preBalances: meta.preBalances ?? [],
      postBalances: meta.postBalances ?? [],
      innerInstructions: (meta.innerInstructions ?? []).map(({ index, instructions }) => ({
        index,
        instructions: instructions.map(innerInstructionOf),
      })),
      innerInstructionsNone: !meta.innerInstructions,
      logMessages: meta.logMessages ?? [],
      logMessagesNone: !meta.logMessages,
      preTokenBalances: (meta.preTokenBalances ?? []).map(balanceOf),
      postTokenBalances: (meta.postTokenBalances ?? []).map(balanceOf),
      loadedWritableAddresses: (meta.loadedAddresses?.writable ?? []).map(bytesOf),
      loadedReadonlyAddresses: (meta.loadedAddresses?.readonly ?? []).map(bytesOf),
      returnDataNone: true,
      computeUnitsConsumed: meta.computeUnitsConsumed ?? 0,
    },
  }
  infos.set(record, info)
  return info
}

function instructionOf({ programIdIndex, accounts, data }: ChainInstruction): Message {
  return { programIdIndex, accounts: Buffer.from(accounts), data: bytesOf(data) }
}

function innerInstructionOf(instruction: ChainInstruction): Message {
  const { stackHeight } = instruction
  return { ...instructionOf(instruction), ...(typeof stackHeight === 'number' ? { stackHeight } : {}) }
}

function balanceOf({ accountIndex, mint, owner, programId, uiTokenAmount }: ChainTokenBalance): Message {
  return {
    accountIndex,
    mint,
    owner: owner ?? '',
    programId: programId ?? '',
    uiTokenAmount: { ...uiTokenAmount, uiAmount: uiTokenAmount.uiAmount ?? 0 },
  }
}

/** The budget of a version 1 transaction; an open field is null in JSON and absent in protobuf. */
function configOf(config: Readonly<Record<string, unknown>>): Message {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null))
}

function bytesOf(text: string): Buffer {
  const bytes = decodeBase58(text)
  if (!bytes) throw new RangeError(`${text} is not base58`)
  return Buffer.from(bytes)
}

/**
 * The owners' `.proto` from their package for Node, with additions of their newest one: the banks' numbers and the
 * block's footer, which today's readers must accept or skip.
 *
 * @see https://github.com/rpcpool/yellowstone-grpc yellowstone-grpc-proto/proto/geyser.proto
 */
function loadGeyser(): protobuf.Root {
  const require = createRequire(import.meta.url)
  const root = new protobuf.Root()
  for (const name of ['solana-storage.proto', 'geyser.proto']) {
    const file = require.resolve(`laserstream-core-proto-js/${name}`)
    protobuf.parse(readFileSync(file, 'utf8'), root)
  }
  root.addJSON(protobuf.common.get('google/protobuf/timestamp.proto')!.nested!)
  root.lookupType('geyser.SubscribeUpdateTransaction').add(new protobuf.Field('bankId', 3, 'uint64'))
  root.lookupType('geyser.SubscribeUpdateBlockMeta').add(new protobuf.Field('bankId', 10, 'uint64'))
  root.lookupType('geyser.SubscribeUpdateSlot').add(new protobuf.Field('bankId', 5, 'uint64', 'optional'))
  const footer = new protobuf.Type('SubscribeUpdateBlockFooter')
    .add(new protobuf.Field('slot', 1, 'uint64'))
    .add(new protobuf.Field('bankId', 2, 'uint64'))
    .add(new protobuf.Field('bankHash', 3, 'bytes'))
    .add(new protobuf.Field('blockProducerTimeNanos', 4, 'uint64'))
  root.define('geyser').add(footer)
  root
    .lookupType('geyser.SubscribeUpdate')
    .add(new protobuf.Field('blockFooter', 12, 'SubscribeUpdateBlockFooter'))
  root.resolveAll()
  return root
}

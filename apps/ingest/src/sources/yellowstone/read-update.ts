import { MalformedTransactionError, type Transaction } from '@pairwire/decoders'
import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'
import { MalformedMessageError, ProtobufReader } from './protobuf-reader.ts'
import { readTransaction } from './read-transaction.ts'

/** Field numbers of `SubscribeUpdate`. @see https://github.com/rpcpool/yellowstone-grpc geyser.proto */
const UPDATE = { slot: 3, transaction: 4, ping: 6, blockMeta: 7 } as const
const SLOT = { slot: 1, status: 3, bankId: 5 } as const
const TRANSACTION = { info: 1, slot: 2, bankId: 3 } as const
const BLOCK_META = {
  slot: 1,
  blockhash: 2,
  blockTime: 4,
  parentSlot: 6,
  parentBlockhash: 7,
  bankId: 10,
} as const
const BLOCK_TIME = { timestamp: 1 } as const

/** The values of `SlotStatus` that matter. */
const STATUS = { confirmed: 1, finalized: 2, dead: 6 } as const

/** A message of the stream; `slotStatus` is a slot status that does not matter, `other` anything else that does not, such as a received shred. */
export type StreamUpdate =
  | Exclude<SlotUpdate, { kind: 'transaction' }>
  | (Extract<SlotUpdate, { kind: 'transaction' }> & Readonly<{ transaction: Transaction }>)
  | Readonly<{ kind: 'ping' }>
  | Readonly<{ kind: 'slotStatus' }>
  | Readonly<{ kind: 'other' }>
  /** In the keeper's form, with the reason for the log. */
  | Readonly<{ kind: 'unreadable'; slot: number | undefined; reason: string }>

/** Parses a `SubscribeUpdate`. Never throws: what cannot be read is `unreadable`, with its slot if possible. */
export function readUpdate(bytes: Buffer): StreamUpdate {
  try {
    const fields = new ProtobufReader(bytes)
    let update: StreamUpdate = OTHER
    while (fields.next()) {
      switch (fields.number) {
        case UPDATE.transaction:
          update = readTransactionUpdate(fields.message())
          break
        case UPDATE.slot:
          update = readSlot(fields.message())
          break
        case UPDATE.blockMeta:
          update = readBlockMeta(fields.message())
          break
        case UPDATE.ping:
          fields.skip()
          update = PING
          break
        default:
          fields.skip()
      }
    }
    return update
  } catch (error) {
    return { kind: 'unreadable', slot: undefined, reason: reasonOf(error) }
  }
}

const OTHER: StreamUpdate = { kind: 'other' }
const SLOT_STATUS: StreamUpdate = { kind: 'slotStatus' }
const PING: StreamUpdate = { kind: 'ping' }

function readTransactionUpdate(fields: ProtobufReader): StreamUpdate {
  let info: ProtobufReader | undefined
  let slot = 0
  let bankId = 0
  while (fields.next()) {
    if (fields.number === TRANSACTION.info) info = fields.message()
    else if (fields.number === TRANSACTION.slot) slot = fields.varint()
    else if (fields.number === TRANSACTION.bankId) bankId = fields.varint()
    else fields.skip()
  }
  try {
    if (!info) throw new MalformedMessageError('names a transaction and holds none')
    const transaction = readTransaction(info, slot)
    return { kind: 'transaction', slot, bankId, index: transaction.index!, transaction }
  } catch (error) {
    return { kind: 'unreadable', slot, reason: reasonOf(error) }
  }
}

function readSlot(fields: ProtobufReader): StreamUpdate {
  let slot = 0
  let status = 0
  let bankId = 0
  while (fields.next()) {
    if (fields.number === SLOT.slot) slot = fields.varint()
    else if (fields.number === SLOT.status) status = fields.varint()
    else if (fields.number === SLOT.bankId) bankId = fields.varint()
    else fields.skip()
  }
  if (status === STATUS.confirmed || status === STATUS.finalized) return { kind: 'confirmed', slot, bankId }
  return status === STATUS.dead ? { kind: 'dead', slot, bankId } : SLOT_STATUS
}

function readBlockMeta(fields: ProtobufReader): StreamUpdate {
  let slot = 0
  let bankId = 0
  let blockhash = ''
  let parentSlot = 0
  let parentBlockhash = ''
  let blockTime: number | null = null
  while (fields.next()) {
    switch (fields.number) {
      case BLOCK_META.slot:
        slot = fields.varint()
        break
      case BLOCK_META.blockhash:
        blockhash = fields.text()
        break
      case BLOCK_META.blockTime:
        blockTime = readBlockTime(fields.message())
        break
      case BLOCK_META.parentSlot:
        parentSlot = fields.varint()
        break
      case BLOCK_META.parentBlockhash:
        parentBlockhash = fields.text()
        break
      case BLOCK_META.bankId:
        bankId = fields.varint()
        break
      default:
        fields.skip()
    }
  }
  return { kind: 'blockMeta', slot, bankId, blockhash, parentSlot, parentBlockhash, blockTime }
}

function readBlockTime(fields: ProtobufReader): number | null {
  let seconds: number | null = null
  while (fields.next()) {
    if (fields.number === BLOCK_TIME.timestamp) seconds = fields.int64()
    else fields.skip()
  }
  return seconds
}

/** @throws the error itself when it is a bug and not caused by the bytes */
function reasonOf(error: unknown): string {
  if (error instanceof MalformedMessageError || error instanceof MalformedTransactionError)
    return error.message
  throw error
}

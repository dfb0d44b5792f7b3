import { readRpcTransaction, type Transaction } from '@pairwire/decoders'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { type SlotDecision, SlotKeeper, type SlotUpdate } from '../slot-keeper/slot-keeper.ts'
import { aRecord } from './a-record.ts'

const bare = readRpcTransaction(aRecord(1))!

/** A transaction whose signature is made from its slot, its bank and its index. */
export function aTransaction(slot: number, index: number, bank = 0): Transaction {
  const signature = new Uint8Array(64)
  new DataView(signature.buffer).setUint32(0, slot)
  new DataView(signature.buffer).setUint32(4, index)
  signature[8] = bank
  return { ...bare, slot, index, signature }
}

export const hashOf = (slot: number, bank = 0) => `hash-${slot}-${bank}`

export const transaction = (slot: number, index: number, bankId = 0): SlotUpdate => ({
  kind: 'transaction',
  slot,
  bankId,
  index,
  transaction: aTransaction(slot, index, bankId),
})

export const meta = (slot: number, parentSlot: number, bankId = 0, parentBank = 0): SlotUpdate => ({
  kind: 'blockMeta',
  slot,
  bankId,
  blockhash: hashOf(slot, bankId),
  parentSlot,
  parentBlockhash: hashOf(parentSlot, parentBank),
  blockTime: 1_790_000_000 + slot,
})

/** Begins with the requested slot, so that nothing later is mistaken for the rest of a slot. */
export const connected: SlotUpdate = { kind: 'connected', from: 1_000 }

export const confirmed = (slot: number, bankId = 0): SlotUpdate => ({ kind: 'confirmed', slot, bankId })

export const wholeBlock = (slot: number, parentSlot: number, ...indexes: number[]): SlotUpdate => ({
  kind: 'block',
  block: {
    slot,
    blockhash: hashOf(slot),
    parentSlot,
    parentBlockhash: hashOf(parentSlot),
    blockTime: 1_790_000_000 + slot,
    transactions: indexes.map((index) => aTransaction(slot, index)),
  },
})

/** All parts of a confirmed block in the order in which a server sends them. */
export const parts = (slot: number, parentSlot: number, ...indexes: number[]): SlotUpdate[] => [
  ...indexes.map((index) => transaction(slot, index)),
  meta(slot, parentSlot),
  confirmed(slot),
]

/** A keeper with a connection whose beginning is known. */
export function aKeeper(...[tip, maxHeld]: ConstructorParameters<typeof SlotKeeper>): SlotKeeper {
  const keeper = new SlotKeeper(tip, maxHeld)
  keeper.take(0, connected)
  keeper.take(1, connected)
  return keeper
}

export function play(keeper: SlotKeeper, ...updates: SlotUpdate[]): SlotDecision[] {
  return updates.flatMap((update) => keeper.take(0, update))
}

/** The decisions as short texts: `slot:index,index`, `gap a-b`, `alarm slot`. */
export function told(decisions: readonly SlotDecision[]): string[] {
  return decisions.map((decision) => {
    if (decision.kind === 'publish') return textOf(decision.block)
    if (decision.kind === 'gap') return `gap ${decision.fromSlot}-${decision.toSlot}`
    if (decision.kind === 'late') return `late ${decision.slot}`
    return `${decision.alarm} ${decision.slot}`
  })
}

export const textOf = ({ slot, transactions }: ChainBlock) =>
  `${slot}:${transactions.map(({ index }) => index).join(',')}`

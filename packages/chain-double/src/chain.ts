import { createHash } from 'node:crypto'
import { encodeBase58 } from '@pairwire/contract'
import type { ChainTransaction } from './chain-transaction.ts'

/** A block of the double's chain, with everything executed in it. */
export type Block = Readonly<{
  slot: number
  /** The validator's number of the bank; two banks of one slot have different ones. */
  bankId: number
  blockhash: string
  parentSlot: number
  parentBlockhash: string
  /** Unix seconds. */
  blockTime: number
  blockHeight: number
  /** A transaction's position is its index. */
  transactions: readonly ChainTransaction[]
}>

/** A step of the chain: a block, preceded by the banks that died for it. */
export type ChainStep = Readonly<{ dead: readonly Block[]; block: Block }>

/** Options of a block. */
type BlockOptions = Readonly<{
  /** Number of preceding slots without a block. */
  skipped?: number
  /** Transactions of another bank of the same slot, which dies. */
  rival?: readonly ChainTransaction[]
  /** Transactions of a block in the previous slot, on a fork that dies; takes one more slot. */
  orphan?: readonly ChainTransaction[]
  /** Unix seconds; by default it continues at the chain's pace. */
  blockTime?: number
}>

/** An account of the chain: its owner program, and its bytes. */
export type ChainAccount = Readonly<{ owner: string; data: Uint8Array }>

/** A chain that grows on command. It keeps everything for comparison, unless told to forget. */
export type Chain = Readonly<{
  /** Blocks of the chain, oldest first. */
  blocks: readonly Block[]
  /** Accounts set by address: they need not result from the chain's transactions. */
  accounts: Map<string, ChainAccount>
  /** Identifies the chain, whatever it has forgotten. */
  genesisHash: string
  /** Number of blocks that it keeps. */
  keeps: number
  /** The newest block; undefined before the first. */
  head(): Block | undefined
  /** Returns the block of a slot; undefined for a skipped or future one. */
  blockAt(slot: number): Block | undefined
  /** Executes and confirms a block at once. */
  add(transactions: readonly ChainTransaction[], options?: BlockOptions): Block
  /** Executes a block after the last executed one; it joins the chain once confirmed, in order. */
  execute(transactions: readonly ChainTransaction[], options?: BlockOptions): ChainStep
  confirm(step: ChainStep): Block
  /** Passes every later step executed ahead to `listener` until the returned function is called. */
  onExecuted(listener: (step: ChainStep) => void): () => void
  /** Passes every later step to `listener` until the returned function is called. */
  onStep(listener: (step: ChainStep) => void): () => void
}>

/** The beginning of a chain, and its pace. */
type ChainOptions = Readonly<{
  firstSlot?: number
  /** Unix seconds of the first block. */
  firstBlockTime?: number
  /** Milliseconds of block time per slot. */
  slotMs?: number
  /** Distinguishes chains: blockhashes are made from it. */
  name?: string
  /** Number of blocks kept; older ones are forgotten. By default it keeps all. */
  keeps?: number
}>

/** An empty chain. */
export function createChain(options: ChainOptions = {}): Chain {
  const { firstSlot = 454_000_000, firstBlockTime = 1_793_000_000, slotMs = 250 } = options
  const { name = 'pairwire', keeps = Number.POSITIVE_INFINITY } = options
  const blocks: Block[] = []
  const bySlot = new Map<number, Block>()
  const listeners = new Set<(step: ChainStep) => void>()
  const executedListeners = new Set<(step: ChainStep) => void>()
  /** The last executed block. */
  let newest: Block | undefined
  let nextBank = 1

  const hash = (slot: number, bankId: number) =>
    encodeBase58(createHash('sha256').update(`${name} ${slot} ${bankId}`).digest())

  const build = (slot: number, transactions: readonly ChainTransaction[], blockTime?: number): Block => {
    const parent = newest
    const bankId = nextBank++
    return {
      slot,
      bankId,
      blockhash: hash(slot, bankId),
      parentSlot: parent?.slot ?? slot - 1,
      parentBlockhash: parent?.blockhash ?? hash(slot - 1, 0),
      blockTime: blockTime ?? firstBlockTime + Math.floor(((slot - firstSlot) * slotMs) / 1000),
      blockHeight: slot - 20_000_000,
      transactions,
    }
  }

  const make = (
    transactions: readonly ChainTransaction[],
    { skipped = 0, rival, orphan, blockTime }: BlockOptions,
  ): ChainStep => {
    const before = newest?.slot ?? firstSlot - 1
    const slot = before + 1 + skipped + (orphan ? 1 : 0)
    const dead: Block[] = []
    if (orphan) dead.push(build(slot - 1, orphan, blockTime))
    if (rival) dead.push(build(slot, rival, blockTime))
    const block = build(slot, transactions, blockTime)
    newest = block
    return { dead, block }
  }

  const confirm = (step: ChainStep): Block => {
    const { block } = step
    blocks.push(block)
    bySlot.set(block.slot, block)
    if (blocks.length > keeps) bySlot.delete(blocks.shift()!.slot)
    for (const listener of [...listeners]) listener(step)
    return block
  }

  return {
    blocks,
    accounts: new Map(),
    genesisHash: hash(firstSlot - 1, 0),
    keeps,
    head: () => blocks.at(-1),
    blockAt: (slot) => bySlot.get(slot),
    add: (transactions, options = {}) => confirm(make(transactions, options)),
    execute(transactions, options = {}) {
      const step = make(transactions, options)
      for (const listener of [...executedListeners]) listener(step)
      return step
    },
    confirm,
    onExecuted: (listener) => hear(executedListeners, listener),
    onStep: (listener) => hear(listeners, listener),
  }
}

function hear<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

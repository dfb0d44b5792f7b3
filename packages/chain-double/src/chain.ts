import { createHash } from 'node:crypto'
import { encodeBase58 } from '@pairwire/contract'
import type { ChainTransaction } from './chain-transaction.ts'

/** A block of the double's chain, with everything that was executed in it. */
export type Block = Readonly<{
  slot: number
  /** The validator's own number of the bank; two banks of one slot have two. */
  bankId: number
  blockhash: string
  parentSlot: number
  parentBlockhash: string
  /** Unix seconds. */
  blockTime: number
  blockHeight: number
  /** A transaction's place is its index. */
  transactions: readonly ChainTransaction[]
}>

/** What came into being at once: a block of the chain, and before it the banks that died for it. */
export type ChainStep = Readonly<{ dead: readonly Block[]; block: Block }>

/** How a block comes to be. */
type BlockOptions = Readonly<{
  /** Slots before it in which nobody made a block. */
  skipped?: number
  /** Transactions of another bank of the same slot, which dies. */
  rival?: readonly ChainTransaction[]
  /** Transactions of a block in the slot before, on a fork that dies; takes one more slot. */
  orphan?: readonly ChainTransaction[]
  /** Unix seconds; by default it goes on at the chain's pace. */
  blockTime?: number
}>

/** An account of the chain: the program that owns it, and its bytes. */
export type ChainAccount = Readonly<{ owner: string; data: Uint8Array }>

/** A chain that grows when it is told to. All of it stays, so that a test can compare, unless it is told to forget. */
export type Chain = Readonly<{
  /** Blocks of the chain, oldest first. */
  blocks: readonly Block[]
  /** Accounts that are set, by their addresses: what is in them need not come of the chain's transactions. */
  accounts: Map<string, ChainAccount>
  /** Names the chain, whatever it has forgotten. */
  genesisHash: string
  /** How many blocks it keeps. */
  keeps: number
  /** The newest block; undefined before the first. */
  head(): Block | undefined
  /** The block of a slot; undefined for a skipped one and for one that is not there yet. */
  blockAt(slot: number): Block | undefined
  /** Has a block executed and confirmed at once. */
  add(transactions: readonly ChainTransaction[], options?: BlockOptions): Block
  /** Has a block executed, on top of the one executed last; it is of the chain once it is confirmed, in that order. */
  execute(transactions: readonly ChainTransaction[], options?: BlockOptions): ChainStep
  confirm(step: ChainStep): Block
  /** Hands every later step that is executed ahead to `listener` until the returned function is called. */
  onExecuted(listener: (step: ChainStep) => void): () => void
  /** Hands every later step to `listener` until the returned function is called. */
  onStep(listener: (step: ChainStep) => void): () => void
}>

/** Where a chain begins and how fast its time goes. */
type ChainOptions = Readonly<{
  firstSlot?: number
  /** Unix seconds of the first block. */
  firstBlockTime?: number
  /** Milliseconds by which block time moves on from one slot to the next. */
  slotMs?: number
  /** Told apart from other chains by it: blockhashes are made of it. */
  name?: string
  /** Blocks that it keeps; older ones are forgotten. Without it all of them stay. */
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
  /** The block that was executed last. */
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

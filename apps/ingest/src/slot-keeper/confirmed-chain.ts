import type { ChainBlock } from './slot-assembly.ts'
import { CHAIN_STATES, type ChainEvent, type ChainState } from './slot-states.ts'

/** The newest position up to which the chain was published, or given up. */
export type ChainTip = Readonly<{
  slot: number
  /** Empty if unknown: after a gap, any block whose parent is at or before the slot continues from it. */
  blockhash: string
}>

/** Unknown slots, of which a block names the last as its parent; both inclusive. */
export type Hole = Readonly<{ fromSlot: number; toSlot: number }>

/** What to do with the chain. */
export type ChainDecision =
  | Readonly<{ kind: 'publish'; block: ChainBlock }>
  | Readonly<{ kind: 'gap'; fromSlot: number; toSlot: number }>
  /** More transactions of a slot exist than were published; it was incomplete, and cannot be completed any more. */
  | Readonly<{ kind: 'late'; slot: number }>
  | Readonly<{ kind: 'alarm'; alarm: 'otherBlock'; slot: number }>

/** Published blocks remembered, to distinguish a repeated block from another one of the same slot. */
const REMEMBERED = 1_024

/** What is remembered of a block; `size` is the number of transactions it was published with, infinite if unknown. */
type Published = { readonly blockhash: string; size: number }

/** Puts complete blocks into chain order: each names its predecessor as its parent. */
export class ConfirmedChain {
  #state: ChainState
  #tip: ChainTip | undefined
  /** Complete blocks that wait for their parent, by slot and blockhash. */
  readonly #waiting = new Map<string, ChainBlock>()
  readonly #published = new Map<number, Published>()
  #held = 0

  /** `tip`: where to continue from; undefined to begin with the first block that arrives. */
  constructor(tip: ChainTip | undefined) {
    this.#tip = tip
    this.#state = tip ? 'following' : 'beginning'
    if (!tip || tip.blockhash === '') return
    this.#published.set(tip.slot, { blockhash: tip.blockhash, size: Number.POSITIVE_INFINITY })
  }

  get tip(): ChainTip | undefined {
    return this.#tip
  }

  /** Number of transactions in waiting blocks. */
  get held(): number {
    return this.#held
  }

  /** The slots missing before the first waiting block; undefined if none are. */
  get hole(): Hole | undefined {
    if (this.#state !== 'broken' || !this.#tip) return undefined
    const first = this.#firstWaiting()
    if (!first) return undefined
    return { fromSlot: this.#tip.slot + 1, toSlot: Math.max(first.parentSlot, this.#tip.slot) }
  }

  /** The newest waiting block. */
  get newestWaiting(): ChainBlock | undefined {
    let newest: ChainBlock | undefined
    for (const block of this.#waiting.values()) if (!newest || block.slot > newest.slot) newest = block
    return newest
  }

  /** Takes a complete block. @returns what to do */
  add(block: ChainBlock): readonly ChainDecision[] {
    if (this.#tip && block.slot <= this.#tip.slot) {
      return this.#compare(block)
    }
    const known = this.#waiting.get(keyOf(block))
    if (known && known.transactions.length >= block.transactions.length) return []
    if (known) this.#remove(known)
    this.#waiting.set(keyOf(block), block)
    this.#held += block.transactions.length
    return this.#drain()
  }

  /** A published block arrives again, from another endpoint or a replay, or another block in its place. */
  #compare({ slot, blockhash, transactions }: ChainBlock): readonly ChainDecision[] {
    const known = this.#published.get(slot)
    if (!known) return []
    if (known.blockhash !== blockhash) return [otherBlock(slot)]
    if (transactions.length <= known.size) return []
    known.size = transactions.length
    return [{ kind: 'late', slot }]
  }

  /**
   * Gives up the hole before the first waiting block, up to `toSlot` or completely.
   * @returns what to do; nothing if there is no hole
   */
  giveUp(toSlot = Number.POSITIVE_INFINITY): readonly ChainDecision[] {
    const hole = this.hole
    const first = this.#firstWaiting()
    if (!hole || !first) return []
    this.#step('givenUp')

    const last = Math.min(toSlot, hole.toSlot)
    const isAll = last === hole.toSlot
    const decisions: ChainDecision[] = []
    if (last >= hole.fromSlot) decisions.push({ kind: 'gap', fromSlot: hole.fromSlot, toSlot: last })
    // Its parent is not ours, and no other block came: the block published there is not on the chain.
    if (first.parentSlot < hole.fromSlot && isAll) decisions.push(otherBlock(hole.fromSlot - 1))
    this.#tip = { slot: last, blockhash: isAll ? first.parentBlockhash : '' }
    decisions.push(...this.#drain())
    return decisions
  }

  /** Forgets the newest waiting block, as if it had not arrived. @returns whether there was one */
  forgetNewest(): boolean {
    const newest = this.newestWaiting
    if (!newest || this.#waiting.size < 2) return false
    this.#remove(newest)
    return true
  }

  #drain(): ChainDecision[] {
    const decisions: ChainDecision[] = []
    for (;;) {
      const next = this.#next()
      if (next) {
        const { does } = this.#step('follows')
        if (does === 'publish') decisions.push(this.#publish(next))
      } else if (this.#waiting.size > 0) {
        const { does } = this.#step('jumps')
        if (does !== 'publish') return decisions
        decisions.push(this.#publish(this.#firstWaiting()!))
      } else return decisions
      this.#dropPassed(decisions)
    }
  }

  #step(event: ChainEvent) {
    const { state, does } = CHAIN_STATES[this.#state][event]
    this.#state = state
    return { does }
  }

  /** Returns the block that continues from the tip; of several the one that others build on. */
  #next(): ChainBlock | undefined {
    const tip = this.#tip
    if (!tip) return undefined
    const children = [...this.#waiting.values()].filter((block) => follows(block, tip))
    if (children.length < 2) return children[0]
    const parents = new Set([...this.#waiting.values()].map(({ parentBlockhash }) => parentBlockhash))
    return children.find(({ blockhash }) => parents.has(blockhash)) ?? children[0]
  }

  #publish(block: ChainBlock): ChainDecision {
    this.#remove(block)
    this.#tip = { slot: block.slot, blockhash: block.blockhash }
    this.#published.set(block.slot, { blockhash: block.blockhash, size: block.transactions.length })
    const [oldest] = this.#published.keys()
    if (this.#published.size > REMEMBERED && oldest !== undefined) this.#published.delete(oldest)
    return { kind: 'publish', block }
  }

  /** Drops blocks that the chain has skipped. */
  #dropPassed(decisions: ChainDecision[]): void {
    const { slot } = this.#tip!
    for (const block of this.#waiting.values()) {
      if (block.slot > slot) continue
      this.#remove(block)
      if (this.#published.size > 1) decisions.push(otherBlock(block.slot))
    }
  }

  #remove(block: ChainBlock): void {
    if (this.#waiting.delete(keyOf(block))) this.#held -= block.transactions.length
  }

  #firstWaiting(): ChainBlock | undefined {
    let first: ChainBlock | undefined
    for (const block of this.#waiting.values()) if (!first || block.slot < first.slot) first = block
    return first
  }
}

function follows(block: Pick<ChainBlock, 'parentSlot' | 'parentBlockhash'>, tip: ChainTip): boolean {
  // If a server names no parents, the next block is taken as the successor.
  if (block.parentSlot === 0 && block.parentBlockhash === '') return true
  if (tip.blockhash === '') return block.parentSlot <= tip.slot
  return block.parentBlockhash === ''
    ? block.parentSlot === tip.slot
    : block.parentBlockhash === tip.blockhash
}

function keyOf({ slot, blockhash }: ChainBlock): string {
  return `${slot} ${blockhash}`
}

function otherBlock(slot: number): ChainDecision {
  return { kind: 'alarm', alarm: 'otherBlock', slot }
}

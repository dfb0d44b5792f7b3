import type { ChainBlock } from './slot-assembly.ts'
import { CHAIN_STATES, type ChainEvent, type ChainState } from './slot-states.ts'

/** The newest place up to which the chain was published, or given up. */
export type ChainTip = Readonly<{
  slot: number
  /** Empty where it is not known: after a gap, any block whose parent lies at or before the slot goes on from it. */
  blockhash: string
}>

/** Slots of which nothing is known though a block names the last of them as its parent; both inclusive. */
export type Hole = Readonly<{ fromSlot: number; toSlot: number }>

/** What is to be done with the chain. */
export type ChainDecision =
  | Readonly<{ kind: 'publish'; block: ChainBlock }>
  | Readonly<{ kind: 'gap'; fromSlot: number; toSlot: number }>
  /** There are more transactions of a slot than were published; it was not whole, and cannot be made whole any more. */
  | Readonly<{ kind: 'late'; slot: number }>
  | Readonly<{ kind: 'alarm'; alarm: 'otherBlock'; slot: number }>

/** Published blocks remembered, to tell a repeated one from another one of the same slot. */
const REMEMBERED = 1_024

/** What is remembered of a block; `size` is how many transactions it was published with, endless where it is not known. */
type Published = { readonly blockhash: string; size: number }

/** Brings complete blocks into the order of the chain: each names the one before it as its parent. */
export class ConfirmedChain {
  #state: ChainState
  #tip: ChainTip | undefined
  /** Complete blocks that wait for their parent, by slot and blockhash. */
  readonly #waiting = new Map<string, ChainBlock>()
  readonly #published = new Map<number, Published>()
  #held = 0

  /** `tip`: where to go on from; undefined to begin with the first block that comes. */
  constructor(tip: ChainTip | undefined) {
    this.#tip = tip
    this.#state = tip ? 'following' : 'beginning'
    if (!tip || tip.blockhash === '') return
    this.#published.set(tip.slot, { blockhash: tip.blockhash, size: Number.POSITIVE_INFINITY })
  }

  get tip(): ChainTip | undefined {
    return this.#tip
  }

  /** Transactions held in blocks that wait. */
  get held(): number {
    return this.#held
  }

  /** What is missing before the first block that waits; undefined while nothing is. */
  get hole(): Hole | undefined {
    if (this.#state !== 'broken' || !this.#tip) return undefined
    const first = this.#firstWaiting()
    if (!first) return undefined
    return { fromSlot: this.#tip.slot + 1, toSlot: Math.max(first.parentSlot, this.#tip.slot) }
  }

  /** The newest block that waits. */
  get newestWaiting(): ChainBlock | undefined {
    let newest: ChainBlock | undefined
    for (const block of this.#waiting.values()) if (!newest || block.slot > newest.slot) newest = block
    return newest
  }

  /** Takes a complete block. @returns what follows from it */
  add(block: ChainBlock): readonly ChainDecision[] {
    if (this.#tip && block.slot <= this.#tip.slot) {
      return this.#compare(block)
    }
    if (this.#waiting.has(keyOf(block))) return []
    this.#waiting.set(keyOf(block), block)
    this.#held += block.transactions.length
    return this.#drain()
  }

  /** A block that was published comes again, from another endpoint or a replay, or another one in its place. */
  #compare({ slot, blockhash, transactions }: ChainBlock): readonly ChainDecision[] {
    const known = this.#published.get(slot)
    if (!known) return []
    if (known.blockhash !== blockhash) return [otherBlock(slot)]
    if (transactions.length <= known.size) return []
    known.size = transactions.length
    return [{ kind: 'late', slot }]
  }

  /**
   * The hole before the first block that waits, up to `toSlot` or all of it, will not be filled any more.
   * @returns what follows from it, nothing while there is no hole
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
    // Its parent is not one of ours, and no other block came: what was published in its place is not on the chain.
    if (first.parentSlot < hole.fromSlot && isAll) decisions.push(otherBlock(hole.fromSlot - 1))
    this.#tip = { slot: last, blockhash: isAll ? first.parentBlockhash : '' }
    decisions.push(...this.#drain())
    return decisions
  }

  /** Forgets the newest block that waits, as if it had not come. @returns whether there was one to forget */
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

  /** The block that goes on from the tip; of several the one that others build on. */
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

  /** A block that the chain has passed by is not part of it. */
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
  // Where a server names no parents, what comes next is taken for what stands next.
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

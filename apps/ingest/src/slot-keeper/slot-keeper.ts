import type { BlockTransaction } from './block-transaction.ts'
import { type ChainDecision, type ChainTip, ConfirmedChain, type Hole } from './confirmed-chain.ts'
import { type BlockMeta, type ChainBlock, SlotAssembly } from './slot-assembly.ts'

/** What one source says; `source` is a number of the caller's for each of them. */
export type SlotUpdate =
  | Readonly<{
      kind: 'transaction'
      slot: number
      /** 0 where a source does not say. */
      bankId: number
      index: number
      transaction: BlockTransaction
    }>
  | (Readonly<{ kind: 'blockMeta' }> & BlockMeta)
  /** The slot, or one bank of it, is confirmed or finalized. */
  | Readonly<{ kind: 'confirmed'; slot: number; bankId: number }>
  | Readonly<{ kind: 'dead'; slot: number; bankId: number }>
  /** A whole confirmed block. */
  | Readonly<{ kind: 'block'; block: ChainBlock }>
  /** Bytes that may have been part of this slot, or of any when it is not known. */
  | Readonly<{ kind: 'unreadable'; slot: number | undefined }>
  /**
   * A connection begins: nothing of the one before it is to be mixed with what comes. `from` is the slot that it was
   * asked to begin with; without one it joins anywhere, and the first slot that it ends may lack its beginning. With
   * `isAhead` slots come before they are confirmed, and nothing but a vote confirms them.
   */
  | Readonly<{ kind: 'connected'; from: number | undefined; isAhead?: boolean }>

/** What is to be done. */
export type SlotDecision =
  | ChainDecision
  /** More was held than there is room for; what is forgotten has to be fetched again. */
  | Readonly<{ kind: 'alarm'; alarm: 'tooMuchHeld'; slot: number }>

/** Transactions held in slots that cannot be published yet; those of an RPC's blocks take about 8 kB each. */
const MAX_HELD = 50_000

/** Slots below the tip that are still compared with what comes. */
const COMPARED_SLOTS = 64

/**
 * Turns what sources say of slots into blocks in the order of the chain, each once and whole, and says which slots are
 * missing. Pure: it has no clock and no socket, so that a test can put anything to it in any order.
 *
 *     source 1 ── assembly ─┐
 *     source 2 ── assembly ─┼─ confirmed chain ── publish | gap | alarm
 *     whole blocks ─────────┘
 */
export class SlotKeeper {
  readonly #chain: ConfirmedChain
  readonly #assemblies: SlotAssembly[] = []
  readonly #maxHeld: number
  #decisions: SlotDecision[] = []
  #lateSlot = -1

  /** `tip`: where to go on from; undefined to begin with what comes first. `maxHeld` is for tests. */
  constructor(tip?: ChainTip, maxHeld = MAX_HELD) {
    this.#chain = new ConfirmedChain(tip)
    this.#maxHeld = maxHeld
  }

  /** Up to where the chain was published or given up. */
  get tip(): ChainTip | undefined {
    return this.#chain.tip
  }

  /** What is missing before the blocks that wait. With `toSlot` below `fromSlot` two blocks contradict each other. */
  get hole(): Hole | undefined {
    return this.#chain.hole
  }

  /** The newest complete block that waits behind the hole. */
  get newestWaiting(): ChainBlock | undefined {
    return this.#chain.newestWaiting
  }

  /** Takes what a source says. @returns what is to be done, in this order */
  take(source: number, update: SlotUpdate): readonly SlotDecision[] {
    const tip = this.#chain.tip
    const floor = tip ? tip.slot - COMPARED_SLOTS : 0
    const assembly = this.#assembly(source)
    switch (update.kind) {
      case 'transaction':
        if (update.slot < floor) return NOTHING
        assembly.addTransaction(update.slot, update.bankId, update.index, update.transaction)
        if (this.#held(assembly) > this.#maxHeld) this.#makeRoom(assembly)
        break
      case 'blockMeta':
        if (update.slot >= floor) assembly.addMeta(update)
        break
      case 'confirmed':
        if (update.slot >= floor) assembly.confirm(update.slot, update.bankId)
        break
      case 'dead':
        assembly.kill(update.slot, update.bankId)
        break
      case 'block':
        this.#decide(this.#chain.add(update.block))
        break
      case 'unreadable':
        assembly.spoil(update.slot)
        break
      case 'connected':
        assembly.connect(update.from, update.isAhead)
        break
    }
    return this.#takeDecisions()
  }

  /** The hole, up to `toSlot` or all of it, will not be filled any more. @returns what is to be done */
  giveUp(toSlot?: number): readonly SlotDecision[] {
    this.#decide(this.#chain.giveUp(toSlot))
    return this.#takeDecisions()
  }

  #assembly(source: number): SlotAssembly {
    const known = this.#assemblies[source]
    if (known) return known
    const assembly = new SlotAssembly({
      complete: (block) => this.#decide(this.#chain.add(block)),
      late: (slot) => {
        if (slot !== this.#lateSlot) this.#decisions.push({ kind: 'late', slot })
        this.#lateSlot = slot
      },
      rival: (slot) => this.#decisions.push({ kind: 'alarm', alarm: 'otherBlock', slot }),
    })
    this.#assemblies[source] = assembly
    return assembly
  }

  #held(assembly: SlotAssembly): number {
    return assembly.held + this.#chain.held
  }

  /** The newest complete blocks go first, as they can be fetched again; then the oldest that never completed. */
  #makeRoom(assembly: SlotAssembly): void {
    while (this.#held(assembly) > this.#maxHeld) {
      const newest = this.#chain.newestWaiting?.slot
      if (newest !== undefined && this.#chain.forgetNewest()) {
        this.#decisions.push({ kind: 'alarm', alarm: 'tooMuchHeld', slot: newest })
        continue
      }
      const oldest = assembly.spoilOldest()
      if (oldest === undefined) return
      this.#decisions.push({ kind: 'alarm', alarm: 'tooMuchHeld', slot: oldest })
    }
  }

  #decide(decisions: readonly SlotDecision[]): void {
    for (const decision of decisions) {
      this.#decisions.push(decision)
      if (decision.kind !== 'publish') continue
      for (const assembly of this.#assemblies) assembly?.prune(decision.block.slot - COMPARED_SLOTS)
    }
  }

  #takeDecisions(): readonly SlotDecision[] {
    if (this.#decisions.length === 0) return NOTHING
    const decisions = this.#decisions
    this.#decisions = []
    return decisions
  }
}

const NOTHING: readonly SlotDecision[] = []

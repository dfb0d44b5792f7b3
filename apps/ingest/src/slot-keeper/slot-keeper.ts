import type { BlockTransaction } from './block-transaction.ts'
import { type ChainDecision, type ChainTip, ConfirmedChain, type Hole } from './confirmed-chain.ts'
import { type BlockMeta, type ChainBlock, SlotAssembly } from './slot-assembly.ts'

/** An update from one source; the caller gives each a number, `source`. */
export type SlotUpdate =
  | Readonly<{
      kind: 'transaction'
      slot: number
      /** 0 if a source does not tell. */
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
  /** Bytes that may have been part of this slot, or of any if unknown. */
  | Readonly<{ kind: 'unreadable'; slot: number | undefined }>
  /**
   * A connection begins: nothing of the previous one may be mixed with it. `from` is the slot that it was asked to
   * begin with; without one it joins anywhere, and the first slot that it ends may lack its beginning. With `isAhead`,
   * slots arrive before they are confirmed, and only a vote confirms them.
   */
  | Readonly<{ kind: 'connected'; from: number | undefined; isAhead?: boolean }>

/** What to do. */
export type SlotDecision =
  | ChainDecision
  /** The buffer was full; forgotten blocks have to be fetched again. */
  | Readonly<{ kind: 'alarm'; alarm: 'tooMuchHeld'; slot: number }>

/** Transactions held in slots that cannot be published yet; those of an RPC's blocks take about 8 kB each. */
const MAX_HELD = 50_000

/** Slots below the tip that are still compared with arrivals. */
export const COMPARED_SLOTS = 64

/**
 * Turns updates of sources into blocks in chain order, each once and complete, and reports missing slots. Pure: it has
 * no clock and no socket, so that a test can send it anything in any order.
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

  /** `tip`: where to continue from; undefined to begin with the first arrival. `maxHeld` is for tests. */
  constructor(tip?: ChainTip, maxHeld = MAX_HELD) {
    this.#chain = new ConfirmedChain(tip)
    this.#maxHeld = maxHeld
  }

  /** Where the chain was last published or given up. */
  get tip(): ChainTip | undefined {
    return this.#chain.tip
  }

  /** The slots missing before the waiting blocks. If `toSlot` is below `fromSlot`, two blocks contradict each other. */
  get hole(): Hole | undefined {
    return this.#chain.hole
  }

  /** The newest complete block that waits behind the hole. */
  get newestWaiting(): ChainBlock | undefined {
    return this.#chain.newestWaiting
  }

  /** Takes an update of a source. @returns what to do, in order */
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

  /** Gives up the hole, up to `toSlot` or completely. @returns what to do */
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

  /** Drops the newest complete blocks first, as they can be fetched again; then the oldest incomplete slots. */
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

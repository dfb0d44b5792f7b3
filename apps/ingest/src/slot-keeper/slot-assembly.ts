import type { BlockTransaction } from './block-transaction.ts'
import { nextSlotState, type SlotEvent, type SlotState } from './slot-states.ts'

/** A confirmed block of the chain, with the transactions that a source was asked for. */
export type ChainBlock = Readonly<{
  slot: number
  blockhash: string
  parentSlot: number
  /** Empty if a source does not tell. */
  parentBlockhash: string
  /** Unix seconds; null if the chain has none. */
  blockTime: number | null
  /** In order of execution; each has its index in the block. */
  transactions: readonly BlockTransaction[]
}>

/** The end of a block on a stream of its parts. */
export type BlockMeta = Readonly<{
  slot: number
  /** Which of the validator's banks of this slot; 0 if a source does not tell. */
  bankId: number
  blockhash: string
  parentSlot: number
  parentBlockhash: string
  blockTime: number | null
}>

/** What is known of one slot; `slot-states.ts` has its states. */
type OpenSlot = {
  readonly slot: number
  state: SlotState
  /** Transactions by index, by bank. */
  readonly banks: Map<number, Map<number, BlockTransaction>>
  /** One for each blockhash. */
  readonly metas: BlockMeta[]
  /** Whether the source confirmed it, and whether a confirmed child names it. */
  isVoted: boolean
  isNamed: boolean
  /** The blockhash that a confirmed child names as its parent, and the bank that a vote names; '' and 0 without one. */
  votedHash: string
  votedBank: number
  /** The delivered block, and the indexes of its transactions, to distinguish a repeated one from a late one. */
  completed: BlockMeta | undefined
  indexes: ReadonlySet<number> | undefined
}

/** A block's transactions in order, and their indexes. */
type Gathered = Readonly<{ transactions: readonly BlockTransaction[]; indexes: ReadonlySet<number> }>

/**
 * Something was lost, of an unknown slot. Every slot touched until the doubt ends may lack something, and so may every
 * slot before the one that ends it, even one of which nothing arrived yet.
 *
 * A connection joined in the middle of a slot, which still ends normally: the next block meta ends the doubt. So does
 * anything of the slot `from`, or of an earlier one: then the connection began where requested, and nothing was lost.
 *
 * A message could not be read: it may belong to a slot in progress, to the next one, or, as a message may cross the end
 * of a slot, to the one after. The doubt then also ends with a new block whose parent ended since.
 */
type Doubt = Readonly<{
  from: number
  /** Slots in progress, which are spoiled already. */
  open: ReadonlySet<number>
  touched: Set<number>
  /** Slots that ended since, if it takes a parent and its child; undefined if one is enough. */
  ended: Set<number> | undefined
}>

/** Calls of {@link SlotAssembly}. */
type AssemblyListener = Readonly<{
  /** A block is complete. */
  complete(block: ChainBlock): void
  /** A transaction arrived after its block was complete. */
  late(slot: number): void
  /** Another block of an already complete slot is confirmed. */
  rival(slot: number): void
}>

/** Slots held of one source, far more than any sound one is ahead of its confirmations. */
const MAX_SLOTS = 4_096

/** Blocks distinguished in one slot: a sound chain has a fork or two. */
const MAX_METAS = 8

/** Slots for which a source that sent a transaction after the end of its slot is not trusted. */
const CAREFUL_SLOTS = 1_000

/**
 * Assembles the parts of slots from one source, in any order. It keeps nothing across connections: banks belong to one
 * validator, and after a break another one may answer.
 */
export class SlotAssembly {
  readonly #slots = new Map<number, OpenSlot>()
  readonly #listener: AssemblyListener
  /** Whether this source ever confirmed a slot by itself; until then a child's block meta confirms its parent. */
  #sendsVotes = false
  /** Set while it is unknown which slots arrive complete; usually undefined. */
  #doubt: Doubt | undefined = joinedAt(-1)
  /** Slots up to this one of which nothing arrived before a doubt ended: later parts may be incomplete. */
  #spoiledUpTo = -1
  /** Up to this slot, a block is complete only once another names it: the source recently broke its promise. */
  #carefulUntil = -1
  #held = 0

  constructor(listener: AssemblyListener) {
    this.#listener = listener
  }

  /** Number of transactions held. */
  get held(): number {
    return this.#held
  }

  addTransaction(slot: number, bankId: number, index: number, transaction: BlockTransaction): void {
    if (this.#doubt) this.#touch(slot, undefined)
    const open = this.#open(slot)
    if (open.state === 'complete') {
      if (open.indexes?.has(index) || !isOfBank(open, bankId)) return
      this.#carefulUntil = slot + CAREFUL_SLOTS
      this.#listener.late(slot)
      return
    }
    if (open.state === 'spoiled') return

    let bank = open.banks.get(bankId)
    if (!bank) {
      bank = new Map()
      open.banks.set(bankId, bank)
    }
    const known = bank.get(index)
    if (known === undefined) {
      bank.set(index, transaction)
      this.#held++
    } else if (!isSameSignature(known, transaction)) {
      this.#step(open, 'unreadable')
    }
  }

  addMeta(meta: BlockMeta): void {
    if (this.#doubt) this.#touch(meta.slot, meta)
    const open = this.#open(meta.slot)
    if (open.metas.length >= MAX_METAS) return
    if (open.metas.some(({ blockhash }) => blockhash === meta.blockhash)) return
    open.metas.push(meta)

    const isVoted = open.state === 'voted' || open.state === 'contested'
    const isMeant = isVoted ? told(open) === meta : open.metas.length === 1
    this.#step(open, isMeant ? 'meta' : 'rivalMeta')
    this.#compare(open)
    // On a stream of confirmed blocks without votes, a block's meta is as good as a vote for its parent.
    if (!this.#sendsVotes || (open.isVoted && this.#isDoubtful(open))) this.#name(told(open) ?? meta)
  }

  /** A vote for a slot; `bankId` is 0 if the source does not tell for which bank. */
  confirm(slot: number, bankId: number): void {
    this.#sendsVotes = true
    const open = this.#open(slot)
    open.isVoted = true
    this.#vote(open, '', bankId)
    const meta = told(open)
    if (meta && this.#isDoubtful(open)) this.#name(meta)
  }

  /** A bank of the slot died; `bankId` is 0 if the source does not tell which, and then the whole slot is forgotten. */
  kill(slot: number, bankId: number): void {
    const open = this.#slots.get(slot)
    if (!open || open.state === 'complete') return
    if (bankId === 0) {
      this.#step(open, 'dead')
      return
    }
    if (open.state === 'spoiled') return
    this.#held -= open.banks.get(bankId)?.size ?? 0
    open.banks.delete(bankId)
    const rest = open.metas.filter((meta) => meta.bankId !== bankId)
    if (rest.length === open.metas.length) return
    open.metas.length = 0
    open.state = open.isNamed || (open.isVoted && !this.#isDoubtful(open)) ? 'voted' : 'open'
    for (const meta of rest) this.addMeta(meta)
  }

  /** Something of this slot could not be read, or, if unknown, of any slot in progress or of one that has not begun. */
  spoil(slot: number | undefined): void {
    if (slot !== undefined) {
      this.#step(this.#open(slot), 'unreadable')
      return
    }
    const open = new Set(this.#slots.keys())
    for (const each of this.#slots.values()) this.#step(each, 'unreadable')
    this.#doubt = { from: -1, open, touched: new Set(), ended: new Set() }
  }

  /** Forgets everything below `slot`. */
  prune(slot: number): void {
    for (const open of this.#slots.values()) if (open.slot < slot) this.#forget(open)
  }

  /**
   * Drops the oldest incomplete slot, which can no longer be completed here: later parts are only its rest. @returns
   * its number, undefined when there is none.
   */
  spoilOldest(): number | undefined {
    let oldest: OpenSlot | undefined
    for (const open of this.#slots.values()) {
      if (open.banks.size > 0 && (!oldest || open.slot < oldest.slot)) oldest = open
    }
    if (oldest) this.#step(oldest, 'unreadable')
    return oldest?.slot
  }

  /** Forgets everything: a new connection begins, which was asked to start with slot `from`. */
  connect(from: number | undefined, isAhead?: boolean): void {
    if (isAhead !== undefined) this.#sendsVotes = isAhead
    this.#slots.clear()
    this.#held = 0
    this.#doubt = joinedAt(from ?? -1)
    this.#spoiledUpTo = -1
  }

  /** Something of `slot` arrived, perhaps only its block meta, while it is unknown which slots arrive complete. */
  #touch(slot: number, meta: BlockMeta | undefined): void {
    const { from, open, touched, ended } = this.#doubt!
    if (slot <= from) {
      this.#doubt = undefined
      return
    }
    touched.add(slot)
    const touchedSlot = this.#open(slot)
    if (ended) this.#step(touchedSlot, 'unreadable')
    if (!meta) return
    const isEnd = !open.has(slot) && (!ended || ended.has(meta.parentSlot))
    ended?.add(slot)
    if (!isEnd) return
    this.#doubt = undefined
    this.#spoiledUpTo = slot
    for (const each of this.#slots.values()) {
      if (each.slot <= slot || touched.has(each.slot)) this.#step(each, 'unreadable')
    }
  }

  #open(slot: number): OpenSlot {
    const known = this.#slots.get(slot)
    if (known) return known
    // Nothing tells which of them the chain has: start over, as on another connection.
    if (this.#slots.size >= MAX_SLOTS) this.connect(undefined)
    const open: OpenSlot = {
      slot,
      state: slot <= this.#spoiledUpTo ? 'spoiled' : 'open',
      banks: new Map(),
      metas: [],
      isVoted: false,
      isNamed: false,
      votedHash: '',
      votedBank: 0,
      completed: undefined,
      indexes: undefined,
    }
    this.#slots.set(slot, open)
    return open
  }

  /** A confirmed block names its parent. */
  #name({ parentSlot, parentBlockhash }: BlockMeta): void {
    const parent = this.#open(parentSlot)
    parent.isNamed = true
    this.#vote(parent, parentBlockhash, 0)
  }

  /** Whether a vote is not enough to call this slot complete. */
  #isDoubtful({ slot, isNamed }: OpenSlot): boolean {
    return slot <= this.#carefulUntil && !isNamed
  }

  #vote(open: OpenSlot, blockhash: string, bankId: number): void {
    if (blockhash !== '') open.votedHash = blockhash
    if (bankId !== 0) open.votedBank = bankId

    this.#compare(open)
    if (this.#isDoubtful(open)) return
    if (told(open)) this.#step(open, 'confirmed')
    else if (open.metas.length > 1 && open.votedHash === '' && open.votedBank === 0) {
      this.#step(open, 'undecided')
    } else this.#step(open, 'confirmedOther')
  }

  #compare(open: OpenSlot): void {
    const meant = told(open)
    if (open.completed && meant && meant !== open.completed) this.#listener.rival(open.slot)
  }

  #step(open: OpenSlot, event: SlotEvent): void {
    const before = open.state
    const after = nextSlotState(before, event)
    if (after === 'forgotten') {
      this.#forget(open)
      return
    }
    open.state = after
    if (after === before) return
    if (after === 'complete') this.#complete(open)
    else if (after === 'spoiled') this.#drop(open)
  }

  #complete(open: OpenSlot): void {
    const meta = told(open)!
    const gathered = gather(open, meta)
    if (!gathered) {
      open.state = 'spoiled'
      this.#drop(open)
      return
    }
    this.#drop(open)
    open.completed = meta
    open.indexes = gathered.indexes
    this.#listener.complete(blockOf(meta, gathered.transactions))
    this.#name(meta)
  }

  #drop(open: OpenSlot): void {
    for (const bank of open.banks.values()) this.#held -= bank.size
    open.banks.clear()
  }

  #forget(open: OpenSlot): void {
    this.#drop(open)
    this.#slots.delete(open.slot)
  }
}

/** The doubt of a connection that was asked to begin with slot `from`; -1 if it joins anywhere. */
function joinedAt(from: number): Doubt {
  return { from, open: new Set(), touched: new Set(), ended: undefined }
}

function blockOf(meta: BlockMeta, transactions: readonly BlockTransaction[]): ChainBlock {
  const { slot, blockhash, parentSlot, parentBlockhash, blockTime } = meta
  return { slot, blockhash, parentSlot, parentBlockhash, blockTime, transactions }
}

/** Returns the block meta that the votes for this slot mean; undefined if it has not arrived. */
function told({ metas, votedHash, votedBank }: OpenSlot): BlockMeta | undefined {
  if (votedHash !== '') return metas.find(({ blockhash }) => blockhash === votedHash)
  const [first] = metas
  if (votedBank !== 0) {
    const voted = metas.find(({ bankId }) => bankId === votedBank)
    return voted ?? (metas.length === 1 && first?.bankId === 0 ? first : undefined)
  }
  return metas.length === 1 ? first : undefined
}

/** Returns the contents of the block; undefined when its transactions cannot be told apart from another bank's. */
function gather({ banks, metas }: OpenSlot, meta: BlockMeta): Gathered | undefined {
  const byIndex = new Map<number, BlockTransaction>()
  const isNamed = (bankId: number) => bankId !== 0
  if (meta.bankId === 0 && [...banks.keys()].filter(isNamed).length > 1) return undefined
  // Of several blocks, transactions without a bank could belong to any.
  if (metas.length > 1 && (meta.bankId === 0 || banks.has(0))) return undefined

  for (const [bankId, bank] of banks) {
    if (isNamed(bankId) && isNamed(meta.bankId) && bankId !== meta.bankId) continue
    for (const [index, transaction] of bank) {
      const known = byIndex.get(index)
      if (known && !isSameSignature(known, transaction)) return undefined
      byIndex.set(index, transaction)
    }
  }
  const transactions = [...byIndex.values()].sort((left, right) => left.index! - right.index!)
  return { transactions, indexes: new Set(byIndex.keys()) }
}

function isOfBank({ completed }: OpenSlot, bankId: number): boolean {
  return bankId === 0 || !completed?.bankId || bankId === completed.bankId
}

function isSameSignature(left: BlockTransaction, right: BlockTransaction): boolean {
  return Buffer.compare(left.signature, right.signature) === 0
}

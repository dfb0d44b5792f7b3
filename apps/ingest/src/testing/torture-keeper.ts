import { createRandom } from '@pairwire/chain-double'
import { readRpcTransaction } from '@pairwire/decoders'
import type { ChainBlock } from '../slot-keeper/slot-assembly.ts'
import { type SlotDecision, SlotKeeper, type SlotUpdate } from '../slot-keeper/slot-keeper.ts'
import { aRecord } from './a-record.ts'

/** A server's faults for a while, as in the chain double. */
type Mood = Readonly<{
  repeats: number
  reorder: number
  midSlots: number
  lateTransactions: number
  lostVotes: number
  lostMetas: number
  lostBlocks: number
  earlyMetas: number
  malformed: number
  sendsDeadBanks: boolean
  hearsFrom: boolean
  breaks: number
}>

type Bank = Readonly<{
  slot: number
  bankId: number
  parentSlot: number
  parentBank: number
  indexes: readonly number[]
}>

type Step = Readonly<{ dead: readonly Bank[]; block: Bank }>

/** A stream of one server; `onWire` was sent and is unread, and is lost when the connection breaks. */
type Stream = { mood: Mood; isNew: boolean; held: readonly SlotUpdate[]; onWire: SlotUpdate[] }

const bare = readRpcTransaction(aRecord(1))!
const BLOCKS = 40
const BLOCKS_PER_MOOD = 10
const HOPEFUL = 0.2

/**
 * Plays a random chain through a slot keeper, from servers that fail at random, without sockets or clocks, so that many
 * thousands of schedules take seconds. @returns what was published incomplete and without a gap, each as a sentence
 */
export function tortureKeeper(seed: number): string[] {
  const random = createRandom(seed * 7_919 + 13)
  const pick = <Item>(...items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const rarely = (chance: number, value: number) => (random() < chance ? value : 0)
  const steps: Step[] = []
  const mail: { from: number; update: SlotUpdate }[] = []
  const decisions: SlotDecision[] = []
  /** Transactions sent after the end of their slot, and slots of which one was never sent: no reader can know. */
  const late = new Set<SlotUpdate>()
  const excused = new Set<number>()
  const keeper = new SlotKeeper()

  const aMood = (): Mood => ({
    repeats: rarely(0.3, 0.3),
    reorder: rarely(0.4, pick(3, 30)),
    midSlots: rarely(0.5, 1),
    lateTransactions: rarely(0.05, 0.02),
    lostVotes: rarely(0.2, pick(0.2, 1)),
    lostMetas: rarely(0.1, 0.1),
    lostBlocks: rarely(0.1, 0.1),
    earlyMetas: rarely(0.2, 0.5),
    malformed: rarely(0.2, 0.02),
    sendsDeadBanks: random() < 0.3,
    hearsFrom: random() < 0.6,
    breaks: rarely(0.3, 0.1),
  })

  const put = (stream: Stream, step: Step) => {
    const { mood } = stream
    if (random() < mood.lostBlocks) return
    const { content, ends } = messagesOf(step, mood, random, late)
    if (stream.isNew && random() < mood.midSlots) content.splice(0, Math.ceil(random() * content.length))
    stream.isNew = false
    const [before, held] = [stream.held, mood.reorder > 0 && random() < 0.5 ? ends : []]
    stream.held = held
    const here = shuffled([...before, ...content], mood.reorder, random)
    for (const update of held === ends ? here : [...here, ...shuffled(ends, mood.reorder, random)]) {
      stream.onWire.push(update)
      if (random() < mood.repeats) stream.onWire.push(update)
    }
  }

  const connect = (stream: Stream, from: number) => {
    for (const update of [...stream.onWire, ...stream.held]) {
      if (late.has(update) && update.kind === 'transaction') excused.add(update.slot)
    }
    const tip = keeper.tip?.slot
    const asked = tip === undefined || random() < 0.1 ? undefined : tip
    Object.assign(stream, { isNew: true, held: [], onWire: [] })
    mail.push({ from, update: { kind: 'connected', from: asked } })
    if (asked === undefined || !stream.mood.hearsFrom) return
    stream.isNew = false
    for (const step of steps) if (step.block.slot >= asked) put(stream, step)
  }

  const read = (all: boolean) => {
    for (const [from, { onWire }] of streams.entries()) {
      const count = all ? onWire.length : Math.floor(random() * (onWire.length + 1))
      for (const update of onWire.splice(0, count)) mail.push({ from, update })
    }
    const count = all ? mail.length : Math.floor(random() * (mail.length + 1))
    for (const { from, update } of mail.splice(0, count)) decisions.push(...keeper.take(from, update))
    const { hole } = keeper
    if (!hole || random() > HOPEFUL) return
    if (random() < 0.5) {
      for (const { block } of steps) {
        if (block.slot < hole.fromSlot || block.slot > hole.toSlot) continue
        decisions.push(...keeper.take(streams.length, { kind: 'block', block: wholeOf(block) }))
      }
    } else decisions.push(...keeper.giveUp())
  }

  const streams: Stream[] = Array.from({ length: pick(1, 1, 2) }, () => ({
    mood: aMood(),
    isNew: true,
    held: [],
    onWire: [],
  }))
  for (const [from, stream] of streams.entries()) connect(stream, from)
  let bank = 1
  let parent: Bank = { slot: 999, bankId: 0, parentSlot: 998, parentBank: 0, indexes: [] }
  for (let at = 0; at < BLOCKS; at++) {
    if (at % BLOCKS_PER_MOOD === 0) for (const stream of streams) stream.mood = aMood()
    const aBank = (slot: number, most: number): Bank => ({
      slot,
      bankId: bank++,
      parentSlot: parent.slot,
      parentBank: parent.bankId,
      indexes: Array.from({ length: Math.floor(random() * most) }, (_, index) => index).filter(
        () => random() < 0.8,
      ),
    })
    const rare = random()
    const hasOrphan = rare > 0.96
    const slot = parent.slot + 1 + pick(0, 0, 0, 0, 1, 4) + (hasOrphan ? 1 : 0)
    const dead = [...(hasOrphan ? [aBank(slot - 1, 3)] : []), ...(rare < 0.04 ? [aBank(slot, 3)] : [])]
    const block = aBank(slot, pick(2, 12))
    steps.push({ dead, block })
    for (const [from, stream] of streams.entries()) {
      put(stream, steps.at(-1)!)
      if (random() >= stream.mood.breaks) continue
      read(false)
      connect(stream, from)
    }
    parent = block
    read(false)
  }
  read(true)

  const said = new Set(excused)
  for (const decision of decisions) if (decision.kind === 'late') said.add(decision.slot)
  const truths = new Map(steps.map(({ block }) => [block.slot, textOf(wholeOf(block))]))
  return decisions.flatMap((decision) => {
    if (decision.kind !== 'publish' || said.has(decision.block.slot)) return []
    const [text, truth] = [textOf(decision.block), truths.get(decision.block.slot)]
    return text === truth ? [] : [`${text} is not ${truth}.`]
  })
}

/** The messages of a step: its contents, and the end of its slot. */
function messagesOf({ dead, block }: Step, mood: Mood, random: () => number, late: Set<SlotUpdate>) {
  const content: SlotUpdate[] = []
  const ends: SlotUpdate[] = []
  const transactions = ({ slot, bankId, indexes }: Bank) => {
    for (const index of shuffled(indexes, indexes.length, random)) {
      const transaction = aTransaction(slot, bankId, index)
      const update: SlotUpdate = { kind: 'transaction', slot, bankId, index, transaction }
      if (random() < mood.lateTransactions) {
        late.add(update)
        ends.push(update)
      } else content.push(random() < mood.malformed ? { kind: 'unreadable', slot: undefined } : update)
    }
  }
  for (const each of dead) {
    if (mood.sendsDeadBanks) {
      transactions(each)
      content.push(metaOf(each))
    }
    content.push({ kind: 'dead', slot: each.slot, bankId: each.bankId })
  }
  transactions(block)
  if (random() >= mood.lostMetas) {
    if (random() < mood.earlyMetas) content.splice(Math.floor(random() * content.length), 0, metaOf(block))
    else ends.unshift(metaOf(block))
  }
  if (random() >= mood.lostVotes) ends.push({ kind: 'confirmed', slot: block.slot, bankId: block.bankId })
  if (mood.lateTransactions > 0) ends.reverse()
  return { content, ends }
}

function aTransaction(slot: number, bankId: number, index: number) {
  const signature = new Uint8Array(64)
  const view = new DataView(signature.buffer)
  for (const [at, value] of [slot, bankId, index].entries()) view.setUint32(at * 4, value)
  return { ...bare, slot, index, signature }
}

function metaOf({ slot, bankId, parentSlot, parentBank }: Bank): SlotUpdate {
  const [blockhash, parentBlockhash] = [`${slot} ${bankId}`, `${parentSlot} ${parentBank}`]
  return { kind: 'blockMeta', slot, bankId, blockhash, parentSlot, parentBlockhash, blockTime: slot }
}

function wholeOf({ slot, bankId, parentSlot, parentBank, indexes }: Bank): ChainBlock {
  return {
    slot,
    blockhash: `${slot} ${bankId}`,
    parentSlot,
    parentBlockhash: `${parentSlot} ${parentBank}`,
    blockTime: slot,
    transactions: indexes.map((index) => aTransaction(slot, bankId, index)),
  }
}

const textOf = ({ slot, transactions }: ChainBlock) =>
  `${slot}:${transactions.map(({ index }) => index).join(',')}`

/** Moves each element by at most `reach` positions. */
function shuffled<Item>(items: readonly Item[], reach: number, random: () => number): Item[] {
  return items
    .map((item, at) => ({ item, key: at + random() * reach }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item)
}

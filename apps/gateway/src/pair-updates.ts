import type { PairUpdateMessage } from '@pairwire/contract'
import { pairUpdateNotice } from './answers.ts'
import { Frames } from './frames.ts'
import { frameText } from './framing.ts'
import { type Member, nothingSent } from './hub-member.ts'
import { wantsPairOf } from './subscription.ts'

/** Updates that wait for their pair's event, which may come by another way; the oldest go first. */
const MAX_EARLY = 1_000

/** Updates that have come before the events of their pairs. */
export class EarlyUpdates {
  #waiting: PairUpdateMessage[] = []

  add(message: PairUpdateMessage): void {
    this.#waiting.push(message)
    if (this.#waiting.length > MAX_EARLY) this.#waiting.shift()
  }

  /** Those whose pairs stand at `newest` or before it, which wait no more. */
  upTo(newest: string): readonly PairUpdateMessage[] {
    if (this.#waiting.length === 0) return this.#waiting
    const due = this.#waiting.filter(({ cursor }) => cursor <= newest)
    if (due.length > 0) this.#waiting = this.#waiting.filter(({ cursor }) => cursor > newest)
    return due
  }
}

/** Tells each member what became known of the pairs that its subscription wanted, in one write. It counts as nothing. */
export function sendUpdates(members: Iterable<Member>, updates: readonly PairUpdateMessage[]): void {
  if (updates.length === 0) return
  const made = new Map<string, Frames>()
  for (const { client, held } of [...members]) {
    const subscription = held.get('newPair')
    if (!subscription) continue
    const { id, interest } = subscription
    const wanted = updates.filter(({ sourceExchange }) => wantsPairOf(interest, sourceExchange))
    if (wanted.length === 0) continue

    const key = `${id} ${wanted.map(({ cursor }) => cursor).join()}`
    let frames = made.get(key)
    if (!frames) {
      const notices = wanted.map(({ update }) => frameText(pairUpdateNotice(id, update)))
      frames = new Frames(Buffer.concat(notices), true)
      made.set(key, frames)
    }
    if (client.outbox.write(frames)) client.sent({ ...nothingSent(), bytes: frames.bytes.length })
    else client.overflowed()
  }
}

import { slotDroppedNotice } from './answers.ts'
import type { TakenBack } from './early-ledger.ts'
import { Frames } from './frames.ts'
import { frameText } from './framing.ts'
import { type Member, nothingSent } from './hub-member.ts'

/** Tells each member which of the transactions that it was sent early are taken back. It counts as nothing. */
export function sendTakenBack(members: Iterable<Member>, { slot, events }: TakenBack): void {
  for (const { client, held, record } of [...members]) {
    const notices: Buffer[] = []
    for (const [kind, signatures] of record?.signaturesOf(events) ?? []) {
      const subscription = held.get(kind)
      if (subscription) notices.push(frameText(slotDroppedNotice(subscription.id, slot, [...signatures])))
    }
    if (notices.length === 0) continue
    const frames = new Frames(Buffer.concat(notices))
    if (client.outbox.write(frames)) client.sent({ ...nothingSent(), bytes: frames.bytes.length })
    else client.overflowed()
  }
}

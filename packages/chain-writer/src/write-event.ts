import type { Call, Step } from './write-transaction.ts'

/** The prefix of an event that an Anchor program sends to itself: sha256("anchor:event")[0..8], little-endian. */
const EVENT_TAG = Uint8Array.of(0xe4, 0x45, 0xa5, 0x2e, 0x51, 0xcb, 0x9a, 0x1d)

/** `emit_cpi!`: writes the event as a call of the program to itself. `event` begins with its discriminator. */
export function writeEventCall(program: Uint8Array, eventAuthority: Uint8Array, event: Uint8Array): Call {
  const data = new Uint8Array(8 + event.length)
  data.set(EVENT_TAG)
  data.set(event, 8)
  return { program, accounts: [eventAuthority], data }
}

/** `emit!`: writes the event as a log line. */
export function writeEventLog(event: Uint8Array): Step {
  return `data: ${Buffer.from(event.buffer, event.byteOffset, event.length).toString('base64')}`
}

/** Writes both, one after the other, as pump.fun's programs do. */
export function writeEvent(
  program: Uint8Array,
  eventAuthority: Uint8Array,
  event: Uint8Array,
): readonly Step[] {
  return [writeEventLog(event), writeEventCall(program, eventAuthority, event)]
}

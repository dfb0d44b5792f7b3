import { bytesOfHex } from '../bytes/discriminator.ts'

/**
 * The prefix of an event that an Anchor program sends to itself (`emit_cpi!`); the event's own discriminator follows.
 *
 * @see https://github.com/solana-foundation/anchor/blob/master/lang/src/event.rs
 */
export const EVENT_CALL = bytesOfHex('e445a52e51cb9a1d')

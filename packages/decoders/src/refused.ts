import type { RefusalReason } from './decoded.ts'

/** Thrown inside a decoder when an instruction may mean an event that its record does not prove. */
export class Refused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(reason)
    this.name = 'Refused'
    this.reason = reason
  }
}

import { TruncatedError } from './bytes/byte-reader.ts'

/**
 * `unknown_instruction`: a discriminator that the decoder does not know. `truncated`: known bytes that end too early.
 * `missing_accounts`: fewer accounts than the layout has. `missing_event`: a trade whose event or transfers are not in
 * the record. `missing_balance`: mint or decimals of a vault not in the record. `zero_amount`: a swap with a side of
 * zero. `contradicted`: an event that the vaults contradict.
 *
 * Only for logs: `unknown_trader`: the trader did not sign, so the wallet is the fee payer, which logs do not name.
 * `unknown_amount`: the event does not tell the pool's side. `unknown_account`: the pool or a mint could not be looked
 * up. `unknown_time`: nor could the block's time. `truncated_logs`: the validator truncated the logs.
 */
export type RefusalReason =
  | 'unknown_instruction'
  | 'truncated'
  | 'missing_accounts'
  | 'missing_event'
  | 'missing_balance'
  | 'zero_amount'
  | 'contradicted'
  | 'unknown_trader'
  | 'unknown_amount'
  | 'unknown_account'
  | 'unknown_time'
  | 'truncated_logs'

/** Thrown inside a decoder when an instruction may mean an event that its record does not prove. */
export class Refused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(reason)
    this.name = 'Refused'
    this.reason = reason
  }
}

/** Returns what `make` does, or the refusal that it throws. @throws every other error */
export function orRefused<Value>(make: () => Value): Value | Refused {
  try {
    return make()
  } catch (error) {
    return new Refused(reasonOf(error))
  }
}

/** Returns why an instruction was refused. @throws the error itself when it is a bug and no refusal. */
export function reasonOf(error: unknown): RefusalReason {
  if (error instanceof Refused) return error.reason
  if (error instanceof TruncatedError) return 'truncated'
  throw error
}

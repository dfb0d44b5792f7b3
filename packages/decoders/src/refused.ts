import { TruncatedError } from './bytes/byte-reader.ts'

/**
 * `unknown_instruction`: a discriminator that the decoder does not know.
 * `truncated`: known bytes that end too early. `missing_accounts`: fewer accounts than the layout names.
 * `missing_event`: a trade whose event or transfers are not in the record. `missing_balance`: mint or decimals
 * of a vault not in the record. `zero_amount`: a swap in which one side moved nothing. `contradicted`: an event of
 * which the vaults say something else.
 *
 * Of what only logs tell: `unknown_trader`: who swapped did not sign, so that the fee payer is the wallet, whom logs
 * do not name. `unknown_amount`: the pool's side cannot be had from the event. `unknown_account`: the pool or a mint
 * could not be looked up. `unknown_time`: nor could the block's time. `truncated_logs`: the validator cut the logs off.
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

/** Why an instruction was refused. @throws the error itself when it is a bug and no refusal. */
export function reasonOf(error: unknown): RefusalReason {
  if (error instanceof Refused) return error.reason
  if (error instanceof TruncatedError) return 'truncated'
  throw error
}

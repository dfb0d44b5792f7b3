import { MalformedTransactionError } from '@pairwire/decoders'

/** Ends the reading of a transaction that is none; `what` goes on after "The transaction". @throws always */
export function fail(what: string): never {
  throw new MalformedTransactionError(`The transaction ${what}.`)
}

/** @throws MalformedTransactionError where an index names none of the accounts */
export function checkIndex(index: number, keyCount: number): void {
  if (index >= keyCount)
    fail(`uses account ${index} but names ${keyCount}; are its loaded addresses missing?`)
}

/** A record in the form of a transaction that is broken. The message is a sentence for the operator. */
export class MalformedTransactionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedTransactionError'
  }
}

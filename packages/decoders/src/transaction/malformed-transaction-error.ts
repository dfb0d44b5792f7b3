/** A record that claims to be a transaction and is broken. The message is a sentence for the operator. */
export class MalformedTransactionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MalformedTransactionError'
  }
}

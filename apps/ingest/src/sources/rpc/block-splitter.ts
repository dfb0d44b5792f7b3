/**
 * Splits the answer of a `getBlock` while it arrives: each element of its `transactions` is passed on as separate
 * bytes, and the rest is kept. A block is a few megabytes, and parsing it whole would block the thread for as long as a
 * stream's window lasts.
 *
 *     {"jsonrpc":"2.0","result":{"blockTime":…,"transactions":[ {…} , {…} ],…},"id":1}
 *                              2                              3 └──┴── handed on
 */
export class BlockSplitter {
  readonly #onTransaction: (bytes: Buffer) => void
  readonly #rest: Buffer[] = []
  /** Bytes of the current element from earlier chunks. */
  #pending: Buffer[] = []
  #depth = 0
  #isInText = false
  #isEscaped = false
  /** Whether the position is inside the list of transactions. */
  #isInList = false
  /** The last string on the second level, in case it is the name of the list. */
  #name = ''
  #isName = false

  constructor(onTransaction: (bytes: Buffer) => void) {
    this.#onTransaction = onTransaction
  }

  add(chunk: Buffer): void {
    // Where the kept part, or the current element, begins in this chunk.
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isInText = false
        else if (this.#isName && this.#name.length <= LIST.length) this.#name += String.fromCharCode(byte)
        continue
      }
      switch (byte) {
        case QUOTE:
          this.#isInText = true
          this.#isName = this.#depth === RESULT_DEPTH && !this.#isInList
          if (this.#isName) this.#name = ''
          break
        case OPEN_LIST:
          if (this.#depth === RESULT_DEPTH && this.#name === LIST && !this.#isInList) {
            this.#isInList = true
            this.#rest.push(chunk.subarray(start, at + 1))
            start = at + 1
          }
          this.#depth++
          break
        case OPEN_OBJECT:
          if (this.#isInList && this.#depth === RESULT_DEPTH + 1) start = at
          this.#depth++
          break
        case CLOSE_OBJECT:
          this.#depth--
          if (this.#isInList && this.#depth === RESULT_DEPTH + 1) {
            this.#pending.push(chunk.subarray(start, at + 1))
            this.#onTransaction(this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending))
            this.#pending = []
            start = at + 1
          }
          break
        case CLOSE_LIST:
          this.#depth--
          if (this.#isInList && this.#depth === RESULT_DEPTH) {
            this.#isInList = false
            this.#name = ''
            start = at
          }
          break
        case COMMA:
          // The string before it was a value.
          if (this.#depth === RESULT_DEPTH) this.#name = ''
      }
    }
    if (!this.#isInList) this.#rest.push(chunk.subarray(start))
    else if (this.#depth > RESULT_DEPTH + 1) this.#pending.push(chunk.subarray(start))
  }

  /** Returns the answer without its transactions, once everything was added. @throws SyntaxError when it is no JSON */
  rest(): unknown {
    return JSON.parse(Buffer.concat(this.#rest).toString())
  }
}

/** Depth within `result`: the answer's own object is the first. */
const RESULT_DEPTH = 2
const LIST = 'transactions'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

import { MalformedTransactionError, type TokenBalance } from '@pairwire/decoders'
import type { PlaceList, ProtobufReader } from './protobuf-reader.ts'

/** Field numbers of `TokenBalance` and its amount. @see https://github.com/rpcpool/yellowstone-grpc solana-storage.proto */
const BALANCE = { accountIndex: 1, mint: 2, amount: 3, owner: 4 } as const
const UI_AMOUNT = { decimals: 2, amount: 3 } as const

/** Reads token balances; `ranges` has the start and end of each in turn. @throws MalformedTransactionError */
export function readBalances(fields: ProtobufReader, ranges: PlaceList, keyCount: number): TokenBalance[] {
  const balances: TokenBalance[] = []
  for (let at = 0; at < ranges.length; at += 2) {
    fields.moveTo(ranges.at(at), ranges.at(at + 1))
    balances.push(new GrpcBalance(fields, keyCount))
  }
  return balances
}

/** A token balance as offsets into its message; its texts are made on first read. */
class GrpcBalance implements TokenBalance {
  readonly accountIndex: number
  readonly decimals: number
  readonly #bytes: Buffer
  readonly #mintAt: number
  readonly #mintEnd: number
  readonly #ownerAt: number
  readonly #ownerEnd: number
  readonly #amountAt: number
  readonly #amountEnd: number

  constructor(fields: ProtobufReader, keyCount: number) {
    const { bytes } = fields
    let accountIndex = 0
    let decimals = 0
    let mintAt = 0
    let mintEnd = 0
    let ownerAt = 0
    let ownerEnd = 0
    let amountAt = 0
    let amountEnd = 0
    while (fields.next()) {
      switch (fields.number) {
        case BALANCE.accountIndex:
          accountIndex = fields.varint()
          break
        case BALANCE.mint:
          mintAt = fields.open()
          mintEnd = fields.at
          break
        case BALANCE.owner:
          ownerAt = fields.open()
          ownerEnd = fields.at
          break
        case BALANCE.amount: {
          const balanceEnd = fields.enter()
          const amount = fields
          while (amount.next()) {
            if (amount.number === UI_AMOUNT.decimals) decimals = amount.varint()
            else if (amount.number === UI_AMOUNT.amount) {
              amountAt = amount.open()
              amountEnd = amount.at
            } else amount.skip()
          }
          fields.leave(balanceEnd)
          break
        }
        default:
          fields.skip()
      }
    }
    checkIndex(accountIndex, keyCount)
    if (!isAddress(bytes, mintAt, mintEnd)) fail('has a token balance without a mint')
    if (ownerEnd > ownerAt && !isAddress(bytes, ownerAt, ownerEnd))
      fail('has a token balance without an owner')
    if (!isAmount(bytes, amountAt, amountEnd)) fail('has a token balance without an amount')
    if (decimals > 255) fail('has a token balance without decimals')
    this.accountIndex = accountIndex
    this.decimals = decimals
    this.#bytes = bytes
    this.#mintAt = mintAt
    this.#mintEnd = mintEnd
    this.#ownerAt = ownerAt
    this.#ownerEnd = ownerEnd
    this.#amountAt = amountAt
    this.#amountEnd = amountEnd
  }

  get mint(): string {
    return this.#bytes.toString('latin1', this.#mintAt, this.#mintEnd)
  }

  isOf(mint: string, owner?: string | null): boolean {
    const bytes = this.#bytes
    if (owner !== undefined && !isText(bytes, this.#ownerAt, this.#ownerEnd, owner ?? '')) return false
    return isText(bytes, this.#mintAt, this.#mintEnd, mint)
  }

  get owner(): string | null {
    return this.#ownerAt === this.#ownerEnd
      ? null
      : this.#bytes.toString('latin1', this.#ownerAt, this.#ownerEnd)
  }

  get amount(): string {
    return this.#bytes.toString('latin1', this.#amountAt, this.#amountEnd)
  }
}

/** Whether these bytes are the characters of `text`. */
function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (end - start !== text.length) return false
  for (let at = start; at < end; at++) if (bytes[at] !== text.charCodeAt(at - start)) return false
  return true
}

/** Whether these bytes are 32 to 44 characters of base58. */
function isAddress(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 32 || end - start > 44) return false
  for (let at = start; at < end; at++) if (IS_BASE58[bytes[at]!] !== 1) return false
  return true
}

/** Whether these bytes are the decimal digits of a u64. */
function isAmount(bytes: Buffer, start: number, end: number): boolean {
  if (end <= start || end - start > 20) return false
  for (let at = start; at < end; at++) if (bytes[at]! < 0x30 || bytes[at]! > 0x39) return false
  return true
}

/** 1 for each byte that is a character of base58. */
const IS_BASE58 = new Uint8Array(256)
for (const character of '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz') {
  IS_BASE58[character.charCodeAt(0)] = 1
}

/** Fails to read a transaction; `what` continues the sentence "The transaction". @throws always */
export function fail(what: string): never {
  throw new MalformedTransactionError(`The transaction ${what}.`)
}

/** @throws MalformedTransactionError if the index is not that of an account */
export function checkIndex(index: number, keyCount: number): void {
  if (index >= keyCount)
    fail(`uses account ${index} but names ${keyCount}; are its loaded addresses missing?`)
}

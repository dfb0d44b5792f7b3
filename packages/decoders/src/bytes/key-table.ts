import { decodeBase58, encodeBase58 } from '@pairwire/contract'
import { readU32 } from './byte-reader.ts'

/** Returns the bytes of a base58 address in our own source. @throws RangeError when it is invalid. */
export function keyOf(address: string): Uint8Array {
  const key = decodeBase58(address)
  if (key?.length !== 32) throw new RangeError(`${address} is not an address`)
  return key
}

/** Whether two keys are equal. */
export function isSameKey(left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}

/** Returns the index of this base58 address among `keys`, -1 if it is missing. */
export function indexOfAddress(keys: readonly Uint8Array[], address: string): number {
  const key = decodeBase58(address)
  return key === undefined ? -1 : keys.findIndex((candidate) => isSameKey(candidate, key))
}

/** Whether a key is the default address, all zeros, which programs use for "none". */
export function isZeroKey(key: Uint8Array): boolean {
  for (let at = 0; at < key.length; at++) if (key[at] !== 0) return false
  return true
}

/** Compares two keys byte by byte: negative, zero or positive. */
export function compareKeys(left: Uint8Array, right: Uint8Array): number {
  for (let at = 0; at < 32; at++) if (left[at] !== right[at]) return left[at]! - right[at]!
  return 0
}

/** Values by raw 32-byte key, so that look-ups need no base58. */
export class KeyTable<Value> {
  readonly #entries = new Map<number, { key: Uint8Array; value: Value }[]>()

  /** `byAddress`: base58 addresses and values. */
  constructor(byAddress: Iterable<readonly [string, Value]>) {
    for (const [address, value] of byAddress) {
      const key = keyOf(address)
      const first = readU32(key, 0)
      const entries = this.#entries.get(first) ?? []
      entries.push({ key, value })
      this.#entries.set(first, entries)
    }
  }

  /** Returns the value of `key`; `undefined` for an unlisted key. */
  get(key: Uint8Array): Value | undefined {
    const entries = this.#entries.get(readU32(key, 0))
    if (entries === undefined) return undefined
    for (const entry of entries) if (isSameKey(entry.key, key)) return entry.value
    return undefined
  }
}

/** Bits of the number of cached addresses; about 100 bytes each. */
const PLACE_BITS = 13
const PLACES = 2 ** PLACE_BITS
const KEY_BYTES = 32

/**
 * Base58 of 32-byte keys, with the newest of each slot cached: mints and pools repeat, and comparing a key costs a
 * tenth of converting it. Strangers may choose keys that share a slot; these only cost as much as any new key.
 */
export class AddressCache {
  readonly #keys = new Uint8Array(PLACES * KEY_BYTES)
  readonly #addresses: (string | undefined)[] = new Array(PLACES).fill(undefined)

  of(key: Uint8Array): string {
    const place = Math.imul(readU32(key, 4) ^ readU32(key, 20), 0x9e3779b1) >>> (32 - PLACE_BITS)
    const known = this.#addresses[place]
    if (known !== undefined && this.#holds(place, key)) return known
    const address = encodeBase58(key)
    this.#keys.set(key, place * KEY_BYTES)
    this.#addresses[place] = address
    return address
  }

  #holds(place: number, key: Uint8Array): boolean {
    const keys = this.#keys
    const start = place * KEY_BYTES
    for (let at = 0; at < KEY_BYTES; at++) if (keys[start + at] !== key[at]) return false
    return true
  }
}

import { encodeBase58 } from '@pairwire/contract'
import { readU32 } from './byte-reader.ts'

/** Addresses kept, a power of two; about 100 bytes each. */
const PLACE_BITS = 13
const PLACES = 2 ** PLACE_BITS
const KEY_BYTES = 32

/**
 * Base58 of keys of 32 bytes, with the newest of each place kept: mints and pools come again and again, and to compare
 * a key costs a tenth of writing it. Strangers may choose keys that share a place; these only cost as much as any new
 * key does.
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

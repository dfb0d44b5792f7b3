/** Slots per account, so that searches stay short. */
const SLOTS_PER_ACCOUNT = 1.5

/** Words of a slot, adjacent because memory is slower than arithmetic: the place and both parts of the hash. */
const WORDS = 3

/**
 * The place of an account's newest record, for up to `capacity` accounts, in a few bytes each: a hash table of places with
 * linear probing.
 *
 * It stores not the accounts but 64 bits of their hash, so a place must be checked against its record. If two accounts
 * share these bits, which two million hardly ever do, the later one is found.
 */
export function createPlaceIndex(capacity: number) {
  const slots = 2 ** Math.ceil(Math.log2(capacity * SLOTS_PER_ACCOUNT))
  const mask = slots - 1
  const table = new Uint32Array(slots * WORDS)
  // Strangers choose their addresses, but not the slots.
  const seed = Math.floor(Math.random() * 2 ** 32)
  let low = 0
  let high = 0

  /** Sets both parts of the account's hash. @see http://www.isthe.com/chongo/tech/comp/fnv/ */
  const hash = (account: string): void => {
    let first = seed ^ 0x811c9dc5
    let second = seed
    for (let at = 0; at < account.length; at++) {
      const code = account.charCodeAt(at)
      first = Math.imul(first ^ code, 0x01000193)
      second = Math.imul(second, 0x85ebca6b) ^ code ^ (second >>> 13)
    }
    low = (first ^ (first >>> 15)) >>> 0
    high = second >>> 0
  }

  /** Returns the account's slot in the table, or the empty slot where it belongs. */
  const locate = (account: string): number => {
    hash(account)
    let at = (low & mask) * WORDS
    while (table[at] !== 0 && (table[at + 1] !== low || table[at + 2] !== high)) {
      at += WORDS
      if (at === table.length) at = 0
    }
    return at
  }

  /** Empties a slot and moves later entries up. */
  const empty = (slot: number): void => {
    let gap = slot
    for (let next = (gap + 1) & mask; table[next * WORDS] !== 0; next = (next + 1) & mask) {
      const home = table[next * WORDS + 1]! & mask
      // It stays if its own slot is after the gap.
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      table.copyWithin(gap * WORDS, next * WORDS, (next + 1) * WORDS)
      gap = next
    }
    table[gap * WORDS] = 0
  }

  return {
    /** Returns the account's place; 0 if there is none. */
    get: (account: string) => table[locate(account)]!,
    /** `place` must be positive. @returns the account's previous place, 0 if there was none */
    set: (account: string, place: number) => {
      const at = locate(account)
      const before = table[at]!
      table[at] = place
      table[at + 1] = low
      table[at + 2] = high
      return before
    },
    /** Removes the account, unless its place is no longer `place`. @returns whether it did */
    remove: (account: string, place: number) => {
      const at = locate(account)
      if (place === 0 || table[at] !== place) return false
      empty(at / WORDS)
      return true
    },
    clear: () => {
      table.fill(0)
    },
  }
}

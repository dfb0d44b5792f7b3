import { createHash } from 'node:crypto'
import { keyOf } from './key-table.ts'

/**
 * Whether a key is a point of the curve. Only then can it have a private key to sign with; the addresses of program
 * accounts are off the curve. As validators decide it: the key encodes y, and is a point if x² = (y² - 1) / (d·y² + 1)
 * has a root.
 *
 * @see RFC 8032, section 5.1.3
 * @see https://docs.solana.com/developing/programming-model/calling-between-programs#program-derived-addresses
 */
export function isOnCurve(key: Uint8Array): boolean {
  const y = BigInt.asUintN(255, BigInt(`0x${Buffer.from(key).reverse().toString('hex')}`))
  const ySquared = (y * y) % P
  // A quotient has a root if the product has one.
  const product = (((ySquared - 1n + P) % P) * ((D * ySquared + 1n) % P)) % P
  return jacobi(product, P) !== -1
}

/** 2^255 - 19, the field of the curve. */
const P = (1n << 255n) - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/** Whether `value` is a square modulo the odd prime: 1, -1, or 0 for zero itself. */
function jacobi(value: bigint, prime: bigint): number {
  let bottom = prime
  let bottomLow = lowBits(bottom)
  let sign = 1
  for (let top = value, low = lowBits(top); top !== 0n; low = lowBits(top)) {
    for (; low % 2 === 0; low = lowBits(top)) {
      const twos = low === 0 ? LOW_BITS : 31 - Math.clz32(low & -low)
      top >>= BigInt(twos)
      if (twos % 2 === 1 && (bottomLow % 8 === 3 || bottomLow % 8 === 5)) sign = -sign
    }
    if (low % 4 === 3 && bottomLow % 4 === 3) sign = -sign
    const rest = bottom % top
    bottom = top
    bottomLow = low
    top = rest
  }
  return bottom === 1n ? sign : 0
}

const LOW_BITS = 30

function lowBits(value: bigint): number {
  return Number(BigInt.asUintN(LOW_BITS, value))
}

/** Returns a program's account for these seeds: the first candidate that is off the curve. */
export function programAddress(seeds: readonly Uint8Array[], program: string): Uint8Array {
  const programKey = keyOf(program)
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256')
    for (const seed of seeds) hash.update(seed)
    const key = hash.update(Uint8Array.of(bump)).update(programKey).update('ProgramDerivedAddress').digest()
    if (!isOnCurve(key)) return key
  }
  throw new RangeError('These seeds name no account.')
}

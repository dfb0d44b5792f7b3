import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from './bytes/discriminator.ts'
import { CallNotes, createCallTally } from './call-tally.ts'

/** Discriminators kept per program. */
const KEPT = 64

import { decodeTransaction } from './decode-transaction.ts'
import { pumpfun } from './programs/pumpfun/decode.ts'
import { PROGRAM_ID as PUMPFUN } from './programs/pumpfun/layout.ts'
import { PROGRAM_ID as PUMPSWAP } from './programs/pumpswap/layout.ts'
import { PROGRAM_ID as AMM_V4 } from './programs/raydium-amm-v4/layout.ts'
import { PROGRAM_ID as CPMM } from './programs/raydium-cpmm/layout.ts'
import { address, aKey, aTransaction, routed } from './testing/transactions.ts'

const DEPOSIT = 'f223c68952e1f2b6'
const UNHEARD = '0102030405060708'

const call = (program: string, hex: string) => ({
  program: address(program),
  accounts: [],
  data: bytesOfHex(hex),
})

/** Calls in order, each in a transaction of its own, whose signature is its number 64 times. */
function tallyOf(...calls: [program: string, hex: string][]) {
  const tally = createCallTally()
  for (const [at, [program, hex]] of calls.entries()) {
    const signature = new Uint8Array(64).fill(at)
    decodeTransaction(aTransaction({ calls: [routed(call(program, hex))], signature }), tally)
  }
  return tally.read()
}

const signatureOf = (number: number) => encodeBase58(new Uint8Array(64).fill(number))

describe('a tally of calls', () => {
  it('counts unknown calls by program and discriminator, next to known ones, with an example', () => {
    const tally = tallyOf(
      [CPMM, DEPOSIT],
      [CPMM, `${UNHEARD}ff`],
      [CPMM, UNHEARD],
      [PUMPSWAP, UNHEARD],
      [CPMM, '1111111111111111'],
    )

    expect(tally).toEqual({
      [CPMM]: {
        exchange: 'raydium',
        understood: 1,
        unknown: 3,
        byDiscriminator: {
          [UNHEARD]: { count: 2, example: signatureOf(1) },
          '1111111111111111': { count: 1, example: signatureOf(4) },
        },
      },
      [PUMPSWAP]: {
        exchange: 'pumpswap',
        understood: 0,
        unknown: 1,
        byDiscriminator: { [UNHEARD]: { count: 1, example: signatureOf(3) } },
      },
    })
  })

  it('identifies an instruction by as many bytes as its program does', () => {
    expect(tallyOf([AMM_V4, 'fe01'], [AMM_V4, 'fe02'])[AMM_V4]?.byDiscriminator).toEqual({
      fe: { count: 2, example: signatureOf(0) },
    })
  })

  it('counts a call as known whatever its result', () => {
    const buyWithoutEvent = '66063d1201daebea'

    expect(tallyOf([PUMPFUN, buyWithoutEvent])[PUMPFUN]).toMatchObject({ understood: 1, unknown: 0 })
  })

  it('counts nothing of a failed transaction, and no event of a program to itself', () => {
    const tally = createCallTally()
    const event = { ...call(PUMPFUN, `e445a52e51cb9a1d${UNHEARD}`), accounts: [aKey(1)] }
    decodeTransaction(aTransaction({ calls: [call(PUMPFUN, UNHEARD)], failed: true }), tally)
    decodeTransaction(aTransaction({ calls: [routed(event)] }), tally)

    expect(tally.read()).toEqual({})
  })

  // Guards the memory: strangers choose discriminators.
  it('keeps a limited number of discriminators per program and counts the rest without names', () => {
    const calls = Array.from({ length: KEPT + 5 }, (_, at): [string, string] => [
      CPMM,
      `ff${at.toString(16).padStart(14, '0')}`,
    ])

    const counted = tallyOf(...calls)[CPMM]!

    expect(counted.unknown).toBe(KEPT + 5)
    expect(Object.keys(counted.byDiscriminator)).toHaveLength(KEPT)
  })
})

describe('notes of calls', () => {
  it('give a tally the same counts later, even if the bytes are overwritten', () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)
    const signature = new Uint8Array(64).fill(3)
    const [atOnce, later] = [createCallTally(), createCallTally()]
    const notes = new CallNotes()

    for (const counter of [atOnce, notes]) {
      counter.understood('program', pumpfun)
      counter.unknown('program', pumpfun, data, signature)
    }
    data.fill(0)
    signature.fill(0)
    notes.tell(later)

    expect(later.read()).toEqual(atOnce.read())
    expect(later.read().program).toMatchObject({ understood: 1, unknown: 1 })
  })
})

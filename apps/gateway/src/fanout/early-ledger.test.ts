import {
  type EarlyMessage,
  formatCursor,
  formatSlot,
  LAST_PLACE,
  type NotificationEvent,
  type StreamEvent,
} from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aSwap } from '../testing/events.ts'
import { type EarlyItem, EarlyLedger } from './early-ledger.ts'

/** A swap in a slot; `amount` distinguishes two executions of one transaction. */
function swapIn(slot: number, signature: string, amount = '1', run = 0): NotificationEvent {
  const event = aSwap({ baseAmount: amount })
  const cursor = formatCursor({ run, slot, transactionIndex: signature.charCodeAt(0), eventIndex: 0 })
  return { ...event, cursor, params: { ...event.params, slot, signature } }
}

function executed(event: NotificationEvent, bank = 1, source = 0, run = 0): EarlyMessage {
  const { slot, signature } = event.params as { slot: number; signature: string }
  return { kind: 'executed', slot: formatSlot({ run, slot }), source, bank, signature, events: [event] }
}

const died = (slot: number, bank = 1, source = 0): EarlyMessage => ({
  ...{ kind: 'died', slot: formatSlot({ run: 0, slot }), source, bank },
})

function block(slot: number, signatures: string, amount = '1', run = 0): StreamEvent[] {
  const events: StreamEvent[] = [...signatures].map((signature) => swapIn(slot, signature, amount, run))
  const cursor = formatCursor({ run, slot, ...LAST_PLACE })
  return [...events, { kind: 'latestBlock', cursor, params: { block: slot, blockTime: 1 } }]
}

const gap = (fromSlot: number, toSlot: number): StreamEvent => ({
  kind: 'gap',
  cursor: formatCursor({ run: 0, slot: toSlot, ...LAST_PLACE }),
  params: { fromSlot, toSlot, cause: 'upstream', resume_from: 'x' },
})

/** The items as text: `5a` was sent, `-5ab` was taken back, `5.` has ended, `gap`. */
function said(items: readonly EarlyItem[]): string {
  return items
    .map((item) => {
      if (item.kind === 'takenBack') {
        const signatures = [...item.events].map(({ params }) => (params as { signature: string }).signature)
        return `-${item.slot}${signatures.join('')}`
      }
      if (item.kind === 'gap') return 'gap'
      if (item.kind === 'latestBlock') return `${item.params.block}.`
      return `${item.params.slot}${item.params.signature}`
    })
    .join(' ')
}

/** A ledger that has begun: slot 4 existed before it. */
function begun() {
  const ledger = new EarlyLedger()
  ledger.confirm(block(4, ''))
  const take = (...messages: EarlyMessage[]) => said(messages.flatMap((message) => ledger.take(message)))
  return { take, confirm: (events: readonly StreamEvent[]) => said(ledger.confirm(events)) }
}

describe('early ledger', () => {
  it('sends an executed transaction once, whichever sources and banks execute it', () => {
    const { take, confirm } = begun()

    expect(take(executed(swapIn(5, 'a')), executed(swapIn(5, 'a'), 2), executed(swapIn(5, 'a'), 1, 1))).toBe(
      '5a',
    )
    expect(confirm(block(5, 'a'))).toBe('5.')
  })

  it('takes back what only a dead bank has executed, and sends it again when another bank does', () => {
    const { take, confirm } = begun()

    expect(take(executed(swapIn(5, 'a')), executed(swapIn(5, 'b')), executed(swapIn(5, 'b'), 2))).toBe(
      '5a 5b',
    )
    expect(take(died(5, 1))).toBe('-5a')
    expect(take(executed(swapIn(5, 'a'), 2))).toBe('5a')
    expect(confirm(block(5, 'ab'))).toBe('5.')
  })

  it('treats all banks of a source as dead if it does not name one, and none of another source', () => {
    const { take } = begun()

    take(executed(swapIn(5, 'a'), 1), executed(swapIn(5, 'b'), 2), executed(swapIn(5, 'b'), 3, 1))

    expect(take(died(5, 0))).toBe('-5a')
  })

  it('takes back a transaction that another bank executed differently, and sends the confirmed one', () => {
    const { take, confirm } = begun()
    take(executed(swapIn(5, 'a', '1')), executed(swapIn(5, 'a', '2'), 2))

    expect(confirm(block(5, 'a', '2'))).toBe('-5a 5a 5.')
  })

  it('ignores differences in price, time and token details alone', () => {
    const { take, confirm } = begun()
    const swap = swapIn(5, 'a')
    take(executed(swap))
    const [confirmed, end] = block(5, 'a')
    const { params } = confirmed as NotificationEvent & { kind: 'swap' }
    const later = { ...params, blockTime: params.blockTime + 1, swap: { ...params.swap, usdValue: 7 } }

    expect(confirm([{ ...confirmed, params: later } as StreamEvent, end!])).toBe('5.')
  })

  it('takes back skipped slots when a later one is confirmed, and tells apart one signature in two slots', () => {
    const { take, confirm } = begun()
    take(executed(swapIn(5, 'a')), executed(swapIn(6, 'a')), executed(swapIn(7, 'a')))

    expect(confirm(block(6, 'a'))).toBe('-5a 6.')
    expect(confirm(block(8, ''))).toBe('-7a 8.')
  })

  it('sends with its block what it never saw executed', () => {
    const { take, confirm } = begun()
    take(executed(swapIn(6, 'b')))

    expect(confirm(block(5, 'a'))).toBe('5a 5.')
    expect(confirm(block(7, 'c'))).toBe('-6b 7c 7.')
  })

  it('settles the slots that a gap covers, and reports the gap without a cursor to resume from', () => {
    const { take, confirm } = begun()
    take(executed(swapIn(5, 'a')), executed(swapIn(7, 'a')))
    const ledger = new EarlyLedger()

    expect(confirm([gap(5, 6)])).toBe('-5a gap')
    expect(ledger.confirm([gap(5, 6)])).toMatchObject([{ params: { resume_from: null } }])
    expect(take(executed(swapIn(6, 'z')))).toBe('')
  })

  it('ignores a slot that is settled', () => {
    const { take, confirm } = begun()
    confirm(block(5, ''))

    expect(take(executed(swapIn(5, 'a')), executed(swapIn(4, 'a')), died(5))).toBe('')
  })

  // Guards who subscribes while NATS is away: blocks of slots that nobody has heard of come after the first message.
  it('sends with their blocks what it did not hear of in slots before its first message, and in that slot', () => {
    const ledger = new EarlyLedger()
    ledger.take(executed(swapIn(5, 'b')))

    expect(said(ledger.confirm(block(4, 'x')))).toBe('4x 4.')
    expect(said(ledger.confirm(block(5, 'ab')))).toBe('5a 5.')
    expect(said(ledger.confirm(block(6, 'c')))).toBe('6c 6.')
  })

  it('settles all open slots when the source starts over, in a later run or on another chain', () => {
    const { take, confirm } = begun()
    take(executed(swapIn(50, 'a')))

    expect(take(executed(swapIn(5, 'b', '1', 1), 1, 0, 1))).toBe('5b')
    expect(confirm(block(5, 'b', '1', 1))).toBe('-50a 5.')
    take(executed(swapIn(9, 'c', '1', 1), 1, 0, 1))
    expect(confirm(block(3, ''))).toBe('-9c 3.')
  })

  it('holds a limited part of a chain that confirms nothing, and sends the rest with its block', () => {
    const ledger = new EarlyLedger()
    let sent = 0
    for (let slot = 100; slot < 350; slot++) {
      for (let at = 0; at < 100; at++) sent += ledger.take(executed(swapIn(slot, `${at}`))).length
    }

    expect(sent).toBe(20_000)
    expect(ledger.confirm(block(349, 'z')).filter(({ kind }) => kind === 'swap')).toHaveLength(1)
  })

  // Guards traders who act on it: whatever is lost or dies on the way, what remains is what was confirmed.
  it('leaves exactly the confirmed events, for any order of executions, dead banks, losses and blocks', () => {
    const message = fc.oneof(
      fc.record({
        slot: fc.integer({ min: 5, max: 9 }),
        signature: fc.constantFrom('a', 'b', 'c'),
        bank: fc.integer({ min: 1, max: 2 }),
        amount: fc.constantFrom('1', '2'),
      }),
      fc.record({ slot: fc.integer({ min: 5, max: 9 }), bank: fc.integer({ min: 0, max: 2 }) }),
      fc.constantFrom('block' as const, 'gap' as const, 'skip' as const),
    )
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 40 }),
        fc.array(fc.constantFrom('', 'a', 'ab', 'cb'), { minLength: 6, maxLength: 6 }),
        (messages, blocks) => {
          const ledger = new EarlyLedger()
          const kept = new Map<string, NotificationEvent>()
          const confirmed: string[] = []
          let next = 5
          let ended = 0
          const play = (items: readonly EarlyItem[]) => {
            for (const item of items) {
              if (item.kind === 'swap') {
                expect(kept.has(`${item.params.slot}${item.params.signature}`)).toBe(false)
                kept.set(`${item.params.slot}${item.params.signature}`, item)
              } else if (item.kind === 'latestBlock') ended = item.params.block
              else if (item.kind === 'takenBack') {
                for (const { params } of item.events) {
                  const { signature } = params as { signature: string }
                  expect(item.slot).toBeGreaterThan(ended)
                  expect(kept.delete(`${item.slot}${signature}`)).toBe(true)
                }
              }
            }
          }
          const publish = (how: 'block' | 'gap' | 'skip') => {
            if (next > 9) return
            if (how === 'block') {
              confirmed.push(...[...blocks[next - 5]!].map((signature) => `${next}${signature}`))
              play(ledger.confirm(block(next, blocks[next - 5]!)))
            } else if (how === 'gap') play(ledger.confirm([gap(next, next)]))
            next++
          }
          play(ledger.confirm(block(4, '')))
          for (const each of messages) {
            if (typeof each === 'string') publish(each)
            else if ('signature' in each)
              play(ledger.take(executed(swapIn(each.slot, each.signature, each.amount), each.bank)))
            else play(ledger.take(died(each.slot, each.bank)))
          }
          next = 10
          play(ledger.confirm(block(10, '')))

          expect([...kept.keys()].toSorted()).toEqual(confirmed.toSorted())
          for (const [, { params }] of kept) expect(params).toMatchObject({ swap: { baseAmount: '1' } })
        },
      ),
      { numRuns: 300 },
    )
  })
})

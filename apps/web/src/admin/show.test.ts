import { describe, expect, it } from 'vitest'
import { isTrouble, labelOf, show } from './show.ts'
import { fieldsOf } from './verb-fields.ts'

it('asks for a `to` as a time only where its schema is one: a mail has an address there', () => {
  const fieldOf = (name: 'mail test' | 'order create') => fieldsOf(name).find(({ name }) => name === 'to')

  expect(fieldOf('mail test')).toMatchObject({ label: 'To', kind: 'text' })
  expect(fieldOf('order create')).toMatchObject({ label: 'To (UTC)', kind: 'time' })
})

it('asks for the number of connections as the limit that it sets', () => {
  expect(fieldsOf('account plan').map(({ label }) => label)).toContain('Connection limit')
})

it('offers choices in words', () => {
  const state = fieldsOf('account list').find(({ name }) => name === 'state')

  expect(state?.choices).toContainEqual(['past_due', 'Past due'])
})

describe('a member of a row', () => {
  it.each([
    ['openedAt', '2026-11-26T20:31:05.123Z', '2026-11-26 20:31:05'],
    ['queuedBytes', 1_234_567, '1.2 MB'],
    ['queuedBytes', 0, '0 B'],
    ['capShare', 0.123, '12.3 %'],
    ['loopDelayMs', 3.6, '4 ms'],
    ['events30d', 12_345, '12,345'],
    ['id', 12_345, '12345'],
    ['seenAt', null, '–'],
    ['subscriptions', ['swap', 'newPair'], 'swap, newPair'],
    [
      'changes',
      { plan: ['none', 'Pro'], until: [null, '2026-12-01T00:00:00.000Z'] },
      'plan: none → Pro, until: – → 2026-12-01 00:00:00',
    ],
    ['orderId', 661262309, '661262309'],
    ['changes', { order: [null, 661262309] }, 'order: – → 661262309'],
    ['isThis', false, 'no'],
  ])('%s is shown by its name and kind', (name, value, text) => {
    expect(show(name, value)).toBe(text)
  })

  it('is a sum of money in its row’s currency, by that currency’s own decimals', () => {
    expect(show('amount', '7900', { currency: 'USD' })).toMatch(/^USD\s79\.00$/)
    expect(show('mrr', '7900', { currency: 'JPY' })).toMatch(/^JPY\s7,900$/)
    expect(show('mrr', '0', { currency: '' })).toBe('–')
  })

  it('has a head that says UTC of times, and names units in its values only', () => {
    expect(
      ['lastSeenAt', 'until', 'completeTo', 'queuedBytes', 'lagMs', 'sent24h', 'isHeld'].map((name) =>
        labelOf(name),
      ),
    ).toEqual([
      'Last seen (UTC)',
      'Until (UTC)',
      'Complete to (UTC)',
      'Queued',
      'Lag',
      'Sent in 24 h',
      'Held',
    ])
  })

  it('calls for somebody if it counts what went wrong, or says so', () => {
    expect(isTrouble('faults', 1)).toBe(true)
    expect(isTrouble('faults', 0)).toBe(false)
    expect(isTrouble('capShare', 1)).toBe(true)
    expect(isTrouble('state', 'past_due')).toBe(true)
    expect(isTrouble('up', false)).toBe(true)
    expect(isTrouble('missing', ['gateway-2'])).toBe(true)
    expect(isTrouble('missing', [])).toBe(false)
  })
})

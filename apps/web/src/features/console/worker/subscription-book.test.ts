import { describe, expect, it } from 'vitest'
import { createSubscriptionBook } from './subscription-book.ts'

const NOW = 1_795_201_702_000
const SWAPS = '{"id":1,"method":"swapSubscribe","params":{"include":{"usdValue":5}}}'

function anOpenBook() {
  const book = createSubscriptionBook()
  book.sent('{"method":"latestBlockSubscribe"}')
  book.sent(SWAPS)
  book.heard('{"jsonrpc":"2.0","result":{"subscription_id":1}}', NOW)
  book.heard('{"jsonrpc":"2.0","id":1,"result":{"subscription_id":2}}', NOW)
  return book
}

describe('subscription book', () => {
  it('lists answered subscriptions, and not the console’s own block feed', () => {
    expect(anOpenBook().read(NOW)).toEqual([
      { id: 2, kind: 'swap', params: '{"include":{"usdValue":5}}', received: 0, perSecond: 0 },
    ])
  })

  it('lists nothing that was refused, or not sent by this page', () => {
    const book = createSubscriptionBook()
    book.sent(SWAPS)
    book.heard('{"id":1,"error":{"code":-32011,"message":"No."}}', NOW)
    book.heard('{"id":1,"result":{"subscription_id":2}}', NOW)
    book.heard('no json', NOW)

    expect(book.read(NOW)).toEqual([])
  })

  it('applies an update once it is answered', () => {
    const book = anOpenBook()
    const update = { subscription_id: 2, params: { swapType: ['buy'] } }
    book.sent(JSON.stringify({ id: 'u', method: 'updateSubscriptionParams', params: update }))
    const before = book.read(NOW)[0]!.params
    book.heard('{"id":"u","result":true}', NOW)

    expect([before, book.read(NOW)[0]!.params]).toEqual([
      '{"include":{"usdValue":5}}',
      '{"swapType":["buy"]}',
    ])
  })

  it('keeps the commitment of an updated subscription', () => {
    const book = createSubscriptionBook()
    const params = { commitment: 'processed' }
    book.sent(JSON.stringify({ id: 1, method: 'swapSubscribe', params }))
    book.heard('{"id":1,"result":{"subscription_id":2}}', NOW)
    const update = { subscription_id: 2, params: { swapType: ['buy'] } }
    book.sent(JSON.stringify({ id: 'u', method: 'updateSubscriptionParams', params: update }))
    book.heard('{"id":"u","result":true}', NOW)

    expect(JSON.parse(book.read(NOW)[0]!.params)).toEqual({ swapType: ['buy'], commitment: 'processed' })
  })

  it.each<[string, (book: ReturnType<typeof anOpenBook>) => void]>([
    [
      'an unsubscribe is answered',
      (book) => {
        book.sent('{"id":9,"method":"swapUnsubscribe","params":{"subscription_id":2}}')
        book.heard('{"id":9,"result":true}', NOW)
      },
    ],
    [
      'the server closes it',
      (book) => book.heard('{"subscription_id":2,"method":"subscriptionClosed","reason":"x"}', NOW),
    ],
    ['the connection ends', (book) => book.forget()],
  ])('forgets a subscription when %s', (_, end) => {
    const book = anOpenBook()

    end(book)

    expect(book.read(NOW)).toEqual([])
  })

  it('counts events by the id in their frames, and reports the rate of the last three seconds', () => {
    const book = anOpenBook()
    const frame = '{"subscription_id":2,"method":"swapNotification"}'
    for (let at = 0; at < 10_000; at += 25) book.counted('swap', frame, NOW + at)

    expect(book.read(NOW + 10_000)[0]).toMatchObject({ received: 400, perSecond: 40 })
    expect(book.read(NOW + 60_000)[0]).toMatchObject({ received: 400, perSecond: 0 })
  })
})

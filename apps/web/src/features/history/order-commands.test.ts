import { describe, expect, it } from 'vitest'
import { orderCommands } from './order-commands.ts'

const order = { id: 482913377, origin: 'https://pairs.example' }

describe('the commands of an order', () => {
  it('contain the token only if it is given', () => {
    const masked = orderCommands(order).map(({ text }) => text)
    const shown = orderCommands(order, 'tok_1').map(({ text }) => text)

    expect(masked.join()).not.toContain('tok_1')
    expect(shown[0]).toContain('https://pairs.example/archive/download/urls?token=tok_1')
  })

  it("pass the order to the existing service's tool", () => {
    expect(orderCommands(order).find(({ name }) => name === 'ss-cli')?.text).toContain('--order-id 482913377')
  })
})

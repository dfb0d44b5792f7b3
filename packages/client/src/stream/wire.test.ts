import { expect, it } from 'vitest'
import { makeWireTypes } from '../testing/make-wire-types.ts'

it('the event types match the contract, with the sentences of the docs', async () => {
  await expect(await makeWireTypes()).toMatchFileSnapshot('wire.d.ts')
})

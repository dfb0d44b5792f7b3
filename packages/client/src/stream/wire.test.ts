import { expect, it } from 'vitest'
import { makeWireTypes } from '../testing/make-wire-types.ts'

it('the types of events are those of the contract, with the sentences of the docs', async () => {
  await expect(await makeWireTypes()).toMatchFileSnapshot('wire.d.ts')
})

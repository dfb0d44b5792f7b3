import { describe, expect, it } from 'vitest'
import { createSandboxBilling } from './billing-sandbox.ts'
import { endAtProvider } from './end-at-provider.ts'

describe('a subscription of an account that is to be deleted', () => {
  const sandbox = createSandboxBilling({ secret: new Uint8Array(32), clock: Date.now, warn: () => {} })

  it('needs no end in the sandbox, where no money moves', async () => {
    await endAtProvider(undefined, { provider: 'sandbox', subscriptionId: 'sub_1' })
  })

  // Guards people who are charged on: only its own provider can end it.
  it('keeps the account while its provider is not the one that is used here', async () => {
    const atPaddle = { provider: 'paddle', subscriptionId: 'sub_1' }

    for (const billing of [sandbox, undefined]) {
      await expect(endAtProvider(billing, atPaddle)).rejects.toMatchObject({
        errorType: 'ACTIVE_SUBSCRIPTION',
      })
    }
  })
})

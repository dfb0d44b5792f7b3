import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

describe('/status', () => {
  it('shows the live figures', async () => {
    const { app } = await createApiUnderTest({
      accounts: { ...NO_ACCOUNTS, listStatus: async () => [{ Details: 'Tea at <five>.' }] },
    })

    const { payload, statusCode } = await app.inject('/status')

    expect(statusCode).toBe(200)
    for (const text of [
      'All streams normal',
      '398,214,771',
      '0.8 s',
      'Pump.fun',
      '>120<',
      'Tea at &lt;five&gt;.',
    ]) {
      expect(payload).toContain(text)
    }
    expect(payload).not.toMatch(/<script>|<style| style=| on\w+=/)
  })

  it('says Delayed from more than five seconds of lag on', async () => {
    const { app, source } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    source.lagMs = 5_001

    expect((await app.inject('/status')).payload).toContain('Delayed')
  })

  it('says Down when the source or a part is away', async () => {
    const sourceAway = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    sourceAway.source.up = false
    const partAway = await createApiUnderTest({ accounts: NO_ACCOUNTS, health: () => ({ database: false }) })

    for (const { app } of [sourceAway, partAway]) {
      expect((await app.inject('/status')).payload).toContain('<p class="state-word">Down</p>')
    }
  })

  it('stands while the database is away', async () => {
    const { app } = await createApiUnderTest({
      accounts: { ...NO_ACCOUNTS, listStatus: () => Promise.reject(new Error('away')) },
    })

    expect((await app.inject('/status')).statusCode).toBe(200)
  })

  it('invents nothing before the first block', async () => {
    const { app, source } = await createApiUnderTest({ accounts: NO_ACCOUNTS })
    Object.assign(source, { lagMs: null, latestBlock: null, events: {} })

    const { payload } = await app.inject('/status')

    expect(payload).toContain('none yet')
    expect(payload).toContain('No events yet.')
  })
})

import { describe, expect, it } from 'vitest'
import { createApiUnderTest } from '../api-under-test.ts'

describe('/status', () => {
  it('shows the live figures', async () => {
    const { app, accounts } = await createApiUnderTest()
    await accounts.addStatus('Tea at <five>.')

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
    const { app, source } = await createApiUnderTest()
    source.lagMs = 5_001

    expect((await app.inject('/status')).payload).toContain('Delayed')
  })

  it('says Down when the source or a part is away', async () => {
    const sourceAway = await createApiUnderTest()
    sourceAway.source.up = false
    const partAway = await createApiUnderTest({ health: () => ({ database: false }) })

    for (const { app } of [sourceAway, partAway]) {
      expect((await app.inject('/status')).payload).toContain('<p class="state-word">Down</p>')
    }
  })

  it('stands while the database is away', async () => {
    const { accounts } = await createApiUnderTest()
    const { app } = await createApiUnderTest({
      accounts: { ...accounts, listStatus: () => Promise.reject(new Error('away')) },
    })

    expect((await app.inject('/status')).statusCode).toBe(200)
  })

  it('invents nothing before the first block', async () => {
    const { app, source } = await createApiUnderTest()
    Object.assign(source, { lagMs: null, latestBlock: null, events: {} })

    const { payload } = await app.inject('/status')

    expect(payload).toContain('none yet')
    expect(payload).toContain('No events yet.')
  })
})

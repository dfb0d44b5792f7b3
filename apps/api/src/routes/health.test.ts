import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'
import { addHealthRoutes } from './health.ts'

describe('GET /healthz', () => {
  it('200 while every part is up', async () => {
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS })

    const answer = await app.inject('/healthz')

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ status: 'up', parts: { database: true, source: true } })
  })

  it('503 if one is down, and says which', async () => {
    const { app } = await createApiUnderTest({
      accounts: NO_ACCOUNTS,
      health: async () => ({ database: true, source: false }),
    })

    const answer = await app.inject('/healthz')

    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toEqual({ status: 'down', parts: { database: true, source: false } })
  })

  it('503 if the parts cannot be queried, or do not answer in time', async () => {
    const failing = Fastify()
    addHealthRoutes(failing, { health: () => Promise.reject(new Error('away')), ready: () => true })
    const silent = Fastify()
    addHealthRoutes(silent, { health: () => new Promise(() => {}), ready: () => true }, 10)

    for (const app of [failing, silent]) expect((await app.inject('/healthz')).statusCode).toBe(503)
  })
})

describe('GET /readyz', () => {
  it('200 if it may take traffic, else 503', async () => {
    let ready = true
    const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, ready: () => ready })

    expect((await app.inject('/readyz')).statusCode).toBe(200)
    ready = false
    expect((await app.inject('/readyz')).statusCode).toBe(503)
  })
})

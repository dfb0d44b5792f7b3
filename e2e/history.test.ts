import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { HOUR_MS, hourName } from '../packages/contract/src/history.ts'
import { type Service, startService } from './service.ts'

/** Milliseconds in which the hour is there, also where other tests leave little of the machine to it. */
const MADE_UP_MS = 180_000

/** Milliseconds between two looks at the shop. */
const LOOK_MS = 500

let service: Service
/** The last whole hour when the service started. */
let hour: string

beforeAll(async () => {
  hour = hourName(Date.now() - HOUR_MS)
  service = await startService({ SOLANA_SOURCE: 'simulator?swaps=0.5&history=1' })
})
afterAll(() => service.kill())

describe('the history of a fresh clone', { timeout: MADE_UP_MS }, () => {
  it('has the last whole hour in the shop, made up beside the stream, and labelled simulated', async () => {
    const shop = await shopWithSample()

    expect(shop).toMatchObject({ source: 'simulator', simulated: true, sample: hour })
    expect(shop.offers).toContainEqual(expect.objectContaining({ id: 'hour', available: true }))
    const manifest = await (await fetch(`${service.url}/archive/manifest/${hour}`)).json()
    expect(manifest).toMatchObject({ made: 'backfill', complete: true, revision: 1 })
    expect(manifest.cursors.last < '000000001').toBe(true)
  })
})

function shopWithSample() {
  return vi.waitFor(
    async () => {
      const shop = await (await fetch(`${service.url}/api/history?to=${endOf(hour)}`)).json()
      expect(shop.sample).not.toBeNull()
      return shop
    },
    { timeout: MADE_UP_MS, interval: LOOK_MS },
  )
}

function endOf(name: string): string {
  const [, year, month, day, at] = /^(\d{4})(\d\d)(\d\d)-(\d\d)/.exec(name)!
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(at) + 1)).toISOString()
}

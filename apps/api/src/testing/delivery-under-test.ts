import { randomUUID } from 'node:crypto'
import type { Archive } from '@pairwire/archive'
import { createArchive } from '@pairwire/archive'
import { anHour } from '@pairwire/archive/testing/an-hour'
import { createMemoryStorage } from '@pairwire/archive/testing/memory-storage'
import { HOUR_MS, hourName } from '@pairwire/contract'
import { createApiUnderTest } from './api-under-test.ts'

/** End of the last archived hour. */
const TO = Date.now() - (Date.now() % HOUR_MS)

/**
 * The app over a real archive in memory with the last `hours` whole hours, and an account with a granted order of a day.
 * `over` replaces calls of the archive.
 */
export async function createDeliveryUnderTest({
  hours = 24,
  over = {},
  requestTimeoutMs,
}: {
  hours?: number
  over?: Partial<Archive>
  requestTimeoutMs?: number
} = {}) {
  const kept = createArchive(createMemoryStorage(), { now: Date.now })
  const names = Array.from({ length: hours }, (_, at) => hourName(TO - (hours - at) * HOUR_MS))
  for (const name of names) {
    const { paths, manifest } = anHour(name)
    await kept.publish(paths, manifest)
  }
  const archive = { ...bound(kept), ...over }
  const api = await createApiUnderTest({ archive, ...(requestTimeoutMs && { requestTimeoutMs }) })
  const newCustomer = async () => {
    const email = `buyer-${randomUUID()}@example.com`
    await api.register({ email })
    const email_token = new URL(api.mailbox.list()[0]!.link).searchParams.get('t')!
    const { token } = (await api.post('/api/authenticate', { email_token })).json()
    const account = await api.app.inject({
      url: '/api/account',
      headers: { authorization: `Bearer ${token}` },
    })
    return { email, session: token as string, key: account.json().user.APIKey as string }
  }
  const customer = await newCustomer()
  const give = (email = customer.email) =>
    api.accounts.grantOrder(email, { source: 'simulator', offer: 'day', to: new Date(TO) })
  const order = await give()
  const getOrder = (id: number | string = order.id, key = customer.key) =>
    api.app.inject({ url: `/order/${id}`, headers: { 'x-api-key': key } })
  const { download_token: token } = hours > 0 ? (await getOrder()).json() : { download_token: '' }
  const download = (name: string, headers: Record<string, string> = {}, used: string = token) =>
    api.app.inject({ url: `/archive/download/${name}?token=${used}`, headers })
  return {
    ...api,
    kept,
    names,
    to: TO,
    customer,
    newCustomer,
    give,
    order,
    getOrder,
    token,
    download,
  }
}

/** The calls of an archive as an object. */
function bound(archive: Archive): Archive {
  return {
    publish: (...args) => archive.publish(...args),
    find: (...args) => archive.find(...args),
    list: (...args) => archive.list(...args),
    names: (...args) => archive.names(...args),
    findSample: (...args) => archive.findSample(...args),
    findNewest: (...args) => archive.findNewest(...args),
    open: (...args) => archive.open(...args),
    localPath: (...args) => archive.localPath(...args),
    signedUrl: (...args) => archive.signedUrl(...args),
    remove: (...args) => archive.remove(...args),
    removeOrphans: (...args) => archive.removeOrphans(...args),
  }
}

import { join } from 'node:path'
import { createArchive, openFolderStorage } from '../packages/archive/src/index.ts'
import { anHour } from '../packages/archive/src/testing/an-hour.ts'
import { HOUR_MS, hourName } from '../packages/contract/src/index.ts'
import { newestLink } from './people.ts'

/** Puts the hour that ends at `to` into the archive of a stopped service; a running one sees it within a minute. */
export async function archiveHour(dataFolder: string, to: number): Promise<void> {
  const storage = await openFolderStorage(join(dataFolder, 'archive'))
  const { paths, manifest } = anHour(hourName(to - HOUR_MS))
  await createArchive(storage, { now: Date.now }).publish(paths, manifest)
}

/** A session of a person who opens the mailed link. */
export async function signIn(serviceUrl: string, email: string): Promise<string> {
  await call(serviceUrl, 'POST', '/api/login', '', { email })
  const email_token = new URL(await newestLink(serviceUrl, email)).searchParams.get('t')
  return (await call(serviceUrl, 'POST', '/api/authenticate', '', { email_token })).token
}

/** A call of the API, as the dashboard makes it. */
export async function call(
  serviceUrl: string,
  method: 'GET' | 'POST',
  path: string,
  token: string,
  body?: object,
) {
  const answer = await fetch(`${serviceUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return answer.json()
}

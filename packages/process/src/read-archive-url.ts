import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPrivateHost } from './loopback.ts'

/**
 * Reads where the archive is: an absolute path, `file:///path`, `s3+https://<host>[:port]/<bucket>[/<prefix>]`, or `off`.
 *
 * @throws Error with the fault
 */
export function readArchiveUrl(text: string) {
  const value = text.trim()
  if (value === 'off') return 'off' as const
  if (isAbsolute(value)) return { kind: 'folder' as const, folder: resolve(value) }
  if (/^file:\/\/\//.test(value)) return { kind: 'folder' as const, folder: fileURLToPath(value) }
  // Parsed as a plain web address: for an unknown scheme, URL does not normalise the host.
  const url = /^s3\+https?:\/\//.test(value) && URL.canParse(value.slice(3)) && new URL(value.slice(3))
  if (!url) throw new Error('must be an absolute path, s3+https://<host>/<bucket>, or off.')
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new Error('takes no user, query or fragment: keys go in ARCHIVE_ACCESS_KEY and ARCHIVE_SECRET_KEY.')
  }
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
    throw new Error('s3+http is for this machine or a private address; use s3+https.')
  }
  const path = url.pathname.replace(/^\/|\/$/g, '')
  if (!/^[a-z0-9][a-z0-9.-]{1,62}(\/[a-z0-9][\w.-]*)*$/i.test(path)) {
    throw new Error('needs the name of the bucket behind the host, and may have plain words behind that.')
  }
  const [bucket = '', ...prefix] = path.split('/')
  return { kind: 'bucket' as const, endpoint: url.origin, bucket, prefix: prefix.join('/') }
}

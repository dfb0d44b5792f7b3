import { isIP } from 'node:net'

/**
 * Whether a host in a URL or a setting is this machine and nothing else: `localhost`, 127.0.0.0/8 or ::1. Any other name
 * counts as another machine, whatever it resolves to.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
  if (name === 'localhost' || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** Whether a host is this machine, or an address in a private network. */
export function isPrivateHost(host: string): boolean {
  const isPrivate = isIP(host) === 4 && /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(host)
  return isLoopbackHost(host) || isPrivate || /^\[f[cd]/i.test(host)
}

/** The same as {@link isLoopbackHost}, for a `Host` header, which may carry a port. */
export function isLoopbackAuthority(authority: string): boolean {
  const host = /^(\[[0-9a-f:]+\]|[^:[\]@/\\?#\s]+)(:\d*)?$/i.exec(authority)?.[1]
  return host !== undefined && isLoopbackHost(host)
}

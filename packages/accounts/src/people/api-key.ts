import { randomBytes } from 'node:crypto'

/** A new API key: 16 random bytes as 32 lower-case hexadecimal characters, a form that clients check. */
export function createApiKey(): string {
  return randomBytes(16).toString('hex')
}

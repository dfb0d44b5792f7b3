import { randomBytes } from 'node:crypto'

/** A new API key: 16 random bytes as 32 lower-case hexadecimal characters, a form that clients check. */
export function createApiKey(): string {
  return randomBytes(16).toString('hex')
}

/** Whether `text` has the form of a key; anything else needs no query. */
export function isApiKey(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

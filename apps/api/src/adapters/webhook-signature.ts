import { createHmac, timingSafeEqual } from 'node:crypto'

/** Milliseconds by which the time in a signature may differ from ours: an older webhook is a replay. */
export const SIGNATURE_TOLERANCE_MS = 30_000

/**
 * The `Paddle-Signature` of a webhook: `ts=<seconds>;h1=<HMAC-SHA-256 of "<seconds>:<body>", hexadecimal>`.
 *
 * @param at Unix milliseconds
 * @see https://developer.paddle.com/webhooks/signature-verification
 */
export function signWebhook(secret: string, body: Uint8Array | string, at: number): string {
  const seconds = String(Math.floor(at / 1_000))
  return `ts=${seconds};h1=${hashOf(secret, seconds, body).toString('hex')}`
}

/** Whether `signature` was made with `secret` over exactly these bytes, a moment ago. */
export function isSigned(
  secret: string,
  body: Uint8Array,
  signature: string | undefined,
  now: number,
): boolean {
  const parsed = readSignature(signature)
  if (!parsed || Math.abs(now - Number(parsed.seconds) * 1_000) > SIGNATURE_TOLERANCE_MS) return false

  const wanted = hashOf(secret, parsed.seconds, body)
  // All are compared, so that timing does not reveal which one matches.
  return parsed.hashes.filter((hash) => timingSafeEqual(hash, wanted)).length > 0
}

/** Characters of a header that are read. */
const SIGNATURE_MAX_CHARACTERS = 1_024

/** While a secret is being replaced there is an `h1` for each. */
function readSignature(header: string | undefined): { seconds: string; hashes: Buffer[] } | undefined {
  if (!header || header.length > SIGNATURE_MAX_CHARACTERS) return undefined
  const parts = header.split(';').map((part) => part.trim().split('='))
  const seconds = parts.find(([name]) => name === 'ts')?.[1] ?? ''
  const hashes = parts
    .filter(([name, value]) => name === 'h1' && /^[0-9a-f]{64}$/.test(value ?? ''))
    .map(([, value]) => Buffer.from(value ?? '', 'hex'))
  return /^\d{1,12}$/.test(seconds) ? { seconds, hashes } : undefined
}

function hashOf(secret: string, seconds: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', secret).update(`${seconds}:`).update(body).digest()
}

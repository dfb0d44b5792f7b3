import { timingSafeEqual } from 'node:crypto'
import { SAMPLE_ORDER } from '@pairwire/contract'
import type { Secrets } from '../secrets.ts'

/** The content of a token, not yet verified; compare the token with {@link orderToken} of it. */
type Named = Readonly<{ orderId: number; sampleOf: string | undefined }>

/**
 * The token with which an account downloads an order: the same on every call, and stored nowhere. The sample's token names
 * its account, since every account has a sample.
 */
export function orderToken(secrets: Secrets, orderId: number, accountId: string): string {
  const proof = secrets.proveOrder(`${orderId} ${accountId}`)
  return orderId === SAMPLE_ORDER
    ? `${SAMPLE_ORDER}-${accountId.replaceAll('-', '')}-${proof}`
    : `${orderId}-${proof}`
}

/** Parses a token, without verifying it; undefined for a text of another form. */
export function readOrderToken(token: string): Named | undefined {
  const match = /^(?:1-([0-9a-f]{32})|(\d{9}))-[\w-]{43}$/.exec(token)
  if (!match) return undefined
  const [, account, orderId] = match
  return account
    ? {
        orderId: SAMPLE_ORDER,
        sampleOf: account.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      }
    : { orderId: Number(orderId), sampleOf: undefined }
}

/** Compares in constant time. */
export function isSameToken(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

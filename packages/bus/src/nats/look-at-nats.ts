import type { NatsAddress } from '../nats-address.ts'
import { openNatsLink } from './nats-link.ts'

/** What NATS says about itself to a part that connects. */
export type NatsLook = Readonly<{
  version: string
  /** What is wrong with it, though it can be used; sentences. */
  warnings: readonly string[]
  /** Bytes that this login may keep; undefined if only the server's disk bounds it. */
  mostBytes: number | undefined
}>

/** Connects as a part does, and makes nothing. @throws Error with a sentence where NATS cannot be used */
export async function lookAtNats(address: NatsAddress): Promise<NatsLook> {
  const warnings: string[] = []
  const link = await openNatsLink(address, { warn: (sentence) => void warnings.push(sentence) })
  try {
    const { limits } = await link.jsm.getAccountInfo()
    return {
      version: link.connection.info?.version ?? 'unknown',
      warnings,
      mostBytes: limits.max_storage < 0 ? undefined : limits.max_storage,
    }
  } finally {
    await link.close()
  }
}

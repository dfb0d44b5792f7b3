import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openArchive } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { openEventReader } from '@pairwire/bus'
import { openChainReader, reportAudit } from '@pairwire/ingest'
import type { Config } from './config.ts'
import { withArchive } from './history/with-archive.ts'

/** The settings of a verb that reads the source again. */
export type SourceKeys = 'solanaSource' | 'solanaSourceTokens' | 'solanaRpcUrl'

/** What {@link runAuditVerb} needs. */
type AuditVerbOptions = Readonly<{
  config: Pick<Config, SourceKeys | 'archivePlace' | 'dataFolder' | 'natsUrl' | 'retention'>
  write(line: string): void
  report(line: string): void
  signal: AbortSignal
}>

/**
 * `pairwire audit`: reads the service's stored events, with or without the service running, and changes nothing.
 *
 * @returns whether everything was published as on the chain. @throws Error with a sentence if it cannot be done
 */
export async function runAuditVerb(words: string[], options: AuditVerbOptions): Promise<boolean> {
  const { config, write, report, signal } = options
  const { fromSlot, toSlot, source } = readFlags(words)
  const { setting, rpcUrl } = sourceToRead(config, source)
  const chain = openChainReader(setting, { tokens: config.solanaSourceTokens, rpcUrl, clock: systemClock })
  if (!chain) {
    throw new Error(
      'An audit reads blocks over JSON-RPC: set SOLANA_RPC_URL, or name an endpoint with --source rpc+https://….',
    )
  }
  const kept = await openPublished(config, report)
  const log = { info() {}, warn: report, error: report }
  const archive = await openArchive(config.archivePlace, { clock: systemClock, log })
  const published = archive ? await withArchive(kept, archive) : kept
  try {
    return await reportAudit({ fromSlot, toSlot, published, chain, write, report, signal })
  } finally {
    if (published !== kept) await published.close()
    await kept.close()
  }
}

/** The published events: those that the parts of a deployment keep in NATS, else those in the service's folder. */
async function openPublished(
  { natsUrl, retention, dataFolder }: AuditVerbOptions['config'],
  warn: (sentence: string) => void,
) {
  if (natsUrl === undefined) {
    const folder = join(dataFolder, 'stream')
    if (!existsSync(folder)) {
      throw new Error(
        `DATA_DIR: no service has kept events in ${folder}. Several processes keep them in NATS: set NATS_URL to that of the api.`,
      )
    }
    return { ...(await openEventReader(folder, 'chain', warn)), close: async () => {} }
  }
  const { openNatsBus, readNatsAddress } = await import('@pairwire/bus/nats')
  const bus = await openNatsBus({
    address: readNatsAddress(natsUrl),
    source: 'chain',
    ...{ retention, publishes: false, maxBytes: 1, log: { info() {}, warn } },
  })
  const newest = await bus.newestCursor()
  return { ...bus, newestCursor: () => newest }
}

/** The source that a verb reads, and its RPC: those of the settings, unless `text` names one, as a source or as an address. */
export function sourceToRead(
  { solanaSource, solanaRpcUrl }: Pick<Config, 'solanaSource' | 'solanaRpcUrl'>,
  text: string | undefined,
): { setting: string; rpcUrl: string | undefined } {
  if (text === undefined) return { setting: solanaSource, rpcUrl: solanaRpcUrl }
  return /^https?:/i.test(text) ? { setting: '', rpcUrl: text } : { setting: text, rpcUrl: undefined }
}

/** @throws Error with a sentence for people */
function readFlags(words: string[]) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: words, options: { 'from-slot': text, 'to-slot': text, source: text } })
  const fromSlot = readSlot('--from-slot', values['from-slot'])
  const toSlot = readSlot('--to-slot', values['to-slot'])
  if (toSlot < fromSlot) throw new Error('--to-slot: must not be before --from-slot.')
  return { fromSlot, toSlot, source: values.source }
}

function readSlot(name: string, text: string | undefined): number {
  const slot = text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(slot)) throw new Error(`${name}: must be a slot number.`)
  return slot
}

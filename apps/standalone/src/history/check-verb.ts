import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createEngine, LocalFiles } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { HOUR_MS, hourStart, type Manifest } from '@pairwire/contract'
import { openChainReader } from '@pairwire/ingest'
import { type HoursVerbOptions, openHours } from './backfill-verb.ts'
import { checkHour, checkLink } from './check-hour.ts'
import { readHourSpan } from './hour-flags.ts'

/**
 * `pairwire archive check`: compares the hours of the running source with their manifests and with each other, and with
 * `--chain` also with the chain, by three requests for each complete hour; prints a line for each fault.
 *
 * @returns whether all is right. @throws Error with a sentence if it cannot be done
 */
export async function runCheckVerb(words: string[], options: HoursVerbOptions): Promise<boolean> {
  const { config, write, report, signal, engine = createEngine(systemClock) } = options
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: words, options: { from: text, to: text, chain: { type: 'boolean' } } })
  const { from, to } = readHourSpan(values, { from: 0, to: Date.now() })
  const ask = values.chain ? chainOf(config, signal) : async () => []
  const archive = await openHours(config, report)
  const isIn = (hour: string) => hourStart(hour)! >= from && hourStart(hour)! < to
  const hours = (await archive.names(config.sourceKind)).filter(isIn)
  // An old hour may have been removed since.
  const isThere = async (hour: string) => (await archive.names(config.sourceKind)).includes(hour)
  const folder = await mkdtemp(join(tmpdir(), 'pairwire-check-'))
  const parts = { archive, engine, files: new LocalFiles(archive, folder) }
  let count = 0
  let before: Manifest | undefined
  try {
    for (const hour of hours) {
      signal.throwIfAborted()
      const manifest = await archive.find(config.sourceKind, hour)
      const links = before && manifest && isNext(before, manifest) ? checkLink(before, manifest) : []
      const look = async () =>
        manifest
          ? [...(await checkHour(manifest, parts)), ...links, ...(await ask(manifest))]
          : [`${hour}: its manifest is damaged.`]
      const faults = await look().catch(async (error) => ((await isThere(hour)) ? Promise.reject(error) : []))
      if (faults.length > 0 && !(await isThere(hour))) faults.length = 0
      for (const fault of faults) write(JSON.stringify({ hour, fault }))
      count += faults.length
      before = manifest
    }
  } finally {
    engine.close()
    await rm(folder, { recursive: true, force: true })
  }
  report(`Hours checked: ${hours.length}. Faults: ${count}.`)
  return count === 0
}

const isNext = (one: Manifest, other: Manifest) => hourStart(other.hour)! - hourStart(one.hour)! === HOUR_MS

/** Compares an hour with the chain; an incomplete one says so itself. @throws Error if there is no JSON-RPC to query */
function chainOf(
  { solanaSource, solanaSourceTokens: tokens, solanaRpcUrl: rpcUrl }: HoursVerbOptions['config'],
  signal: AbortSignal,
) {
  const reader = openChainReader(solanaSource, { tokens, rpcUrl, clock: systemClock })
  if (!reader) throw new Error('--chain: asks a JSON-RPC of the chain: set SOLANA_RPC_URL.')
  return async ({ hour, complete, slots, chain, counts }: Manifest): Promise<string[]> => {
    if (!complete || !slots || !chain) return []
    const { parentBlockhash, blockhash, blocks } = await reader.askSpan(slots.first, slots.last, signal)
    return [
      parentBlockhash !== chain.parentBlockhash &&
        `${hour}: the chain has another block before its first one.`,
      blockhash !== chain.blockhash && `${hour}: the chain has another last block.`,
      blocks !== counts.blocks && `${hour}: the chain has ${blocks} blocks instead of ${counts.blocks}.`,
    ].filter((fault) => fault !== false)
  }
}

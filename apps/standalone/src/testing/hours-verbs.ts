import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, openFolderStorage } from '@pairwire/archive'
import type { Engine } from '@pairwire/archiver'
import { anEngine } from '@pairwire/archiver/testing/an-engine'
import { systemClock } from '@pairwire/basics'
import { type ChainTransaction, createChain, serveRpc } from '@pairwire/chain-double'
import { HOUR_MS, hourName } from '@pairwire/contract'
import { onTestFinished } from 'vitest'
import { type HoursVerbOptions, runBackfillVerb } from '../history/backfill-verb.ts'
import { runCheckVerb } from '../history/check-verb.ts'
import { runExportVerb } from '../history/export-verb.ts'

export const NOW = Date.now() - (Date.now() % HOUR_MS)
export const time = (hoursAgo: number) => new Date(NOW - hoursAgo * HOUR_MS).toISOString().replace('.000', '')
export const name = (hoursAgo: number) => hourName(NOW - hoursAgo * HOUR_MS)

/** One engine for all verbs of a process, since each takes a second to start; it ends when it is idle. */
const shared = anEngine(systemClock)
export const engine: Engine = { ask: (ask, question) => shared.ask(ask, question), close: () => {} }

/** The verbs on hours, on a separate folder; `begin` is copied into it first. */
export async function setUpVerbs(change: Partial<HoursVerbOptions['config']> = {}, begin?: string) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-hours-'))
  if (begin) cpSync(begin, dataFolder, { recursive: true })
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const folder = join(dataFolder, 'archive')
  const config: HoursVerbOptions['config'] = {
    ...{ dataFolder, archivePlace: { kind: 'folder', folder }, isLocal: true, publicUrl: 'http://localhost' },
    ...{ solanaSource: 'simulator?swaps=0.05', solanaSourceTokens: [], solanaRpcUrl: undefined },
    ...{ sourceKind: 'simulator', ...change },
  }
  const written: string[] = []
  const reported: string[] = []
  const abort = new AbortController()
  const options = {
    config,
    write: (line: string) => void written.push(line),
    report: (line: string) => void reported.push(line),
    writeText: (text: Buffer | string) => void written.push(String(text)),
    signal: abort.signal,
    engine,
  }
  /** The output of a verb since the last one. */
  const said = () => ({ written: written.splice(0), reported: reported.splice(0) })
  const exportAndReport = async (...words: string[]) => {
    await runExportVerb(words, options)
    return said()
  }
  return {
    ...{ dataFolder, folder, archive: createArchive(await openFolderStorage(folder), systemClock) },
    interrupt: () => abort.abort(),
    backfill: async (...words: string[]) => {
      await runBackfillVerb(words, options)
      const { written: lines, ...rest } = said()
      return { lines: lines.map((line) => JSON.parse(line)), ...rest }
    },
    exportAndReport,
    exportHours: async (...words: string[]) => (await exportAndReport(...words)).written,
    check: async (...words: string[]) => {
      const isRight = await runCheckVerb(words, options)
      const { written: lines, reported: result } = said()
      return { isRight, faults: lines.map((line) => JSON.parse(line).fault), result }
    },
  }
}

/**
 * An endpoint of a chain of the last seven hours, with slots of half a minute; of every forty, `skipped` have no block. With
 * `forks`, one of every forty has a bank that died, and another dead one is in the slot before it; the fifth hour before now
 * then has `transactions`.
 */
export async function anEndpoint(
  skipped = 0,
  whenOver: (close: () => Promise<void>) => void = onTestFinished,
  forks: Readonly<{ transactions: readonly ChainTransaction[][] }> | undefined = undefined,
) {
  const chain = createChain({ slotMs: 30_000, firstBlockTime: (NOW - 7 * HOUR_MS) / 1000 })
  for (let at = 0; at < 840 + 2; at++) {
    const transactions = forks?.transactions[at - 240] ?? []
    const dead = forks && at % 40 === 20 ? { rival: transactions.slice(1), orphan: [] } : {}
    chain.add(transactions, { skipped: at % 40 === 0 ? skipped : 0, ...dead })
  }
  const rpc = await serveRpc({ chain })
  whenOver(() => rpc.close())
  rpc.faults.history = 1_000
  return rpc
}

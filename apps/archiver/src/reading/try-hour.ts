import type { TryAnswer, TryAsk } from '@pairwire/contract'
import { assertInArchive, indexFields, readInterest } from '@pairwire/filter'
import { filterCondition } from './filter-condition.ts'
import type { HourReading } from './hour-pages.ts'

/** Tries a filter on an hour. @throws StreamFault for params that the stream refuses */
export async function tryHour(
  { source, hour, kind, params }: TryAsk,
  { archive, engine, files }: HourReading,
): Promise<TryAnswer> {
  const manifest = await archive.find(source, hour)
  if (!manifest) return { outcome: 'missing' }
  const fields = indexFields(params)
  assertInArchive(fields)
  const condition = filterCondition(readInterest(kind, { params: fields, around: [], isUpdate: false }))
  const file = kind === 'swap' ? 'swaps' : 'pairs'
  const tried = await files.use(manifest, file, (path) => engine.ask('try', { kind, path, condition }))
  return { outcome: 'tried', total: manifest.counts[file], ...tried }
}

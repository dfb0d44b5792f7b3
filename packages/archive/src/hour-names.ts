import { HOUR_FILES, type HourFileKind, hourStart, type SourceKind } from '@pairwire/contract'

/** File name endings, by kind. */
const ENDINGS: Readonly<Record<HourFileKind, string>> = {
  zip: 'zip',
  swaps: 'swaps.parquet',
  pairs: 'pairs.parquet',
  blocks: 'blocks.parquet',
}

/** The object name of a file within its month. Different content has a different name, so no file is ever replaced. */
export function hourFileName(hour: string, kind: HourFileKind, sha256: string): string {
  return `${hour}.${sha256.slice(0, 8)}.${ENDINGS[kind]}`
}

/** The name of a file as customers see it: it does not change when the hour is made again. */
export function customersFileName(hour: string, kind: HourFileKind): string {
  return `${hour}.${ENDINGS[kind]}`
}

/** Reads a customer's file name; an hour without an ending is the zip. Undefined for any other name. */
export function readCustomersFileName(
  name: string,
): Readonly<{ hour: string; kind: HourFileKind | 'json' }> | undefined {
  const hour = name.slice(0, 15)
  const ending = name.slice(16)
  if (hourStart(hour) === undefined || !/^(\..+)?$/.test(name.slice(15))) return undefined
  if (ending === '' || ending === 'json') return { hour, kind: ending === '' ? 'zip' : 'json' }
  const kind = HOUR_FILES.find((one) => ENDINGS[one] === ending)
  return kind && { hour, kind }
}

/** The folder of the month of an hour. */
export function monthFolder(source: SourceKind, hour: string): string {
  return `${source}/${hour.slice(0, 4)}-${hour.slice(4, 6)}`
}

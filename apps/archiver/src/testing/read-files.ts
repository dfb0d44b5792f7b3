import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

/** The rows of a Parquet file, read by an independent library. */
export async function readRows(path: string): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
}

/** The name of the only entry of a zip, its DOS time and date, and its text. */
export function readZip(zip: string | Buffer): { name: string; time: number; date: number; text: string } {
  const bytes = typeof zip === 'string' ? readFileSync(zip) : zip
  const [nameLength, extraLength] = [bytes.readUInt16LE(26), bytes.readUInt16LE(28)]
  const data = bytes.subarray(30 + nameLength + extraLength)
  return {
    name: bytes.toString('utf8', 30, 30 + nameLength),
    time: bytes.readUInt16LE(10),
    date: bytes.readUInt16LE(12),
    text: inflateRawSync(data).toString(),
  }
}

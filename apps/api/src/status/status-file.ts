import { readFile, rename, writeFile } from 'node:fs/promises'
import { codeOf, type Log } from '@pairwire/basics'
import { StatusRecord } from './status-record.ts'

const NOTHING: StatusRecord = { minutes: [], days: [], incidents: [] }

/** Reads the file; an empty record if it does not exist, or if it cannot be read, which is logged. */
export async function readStatusFile(file: string, log: Log): Promise<StatusRecord> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    if (!isMissing) log.warn('The measurements of the status page could not be opened.')
    return NOTHING
  }
  try {
    return StatusRecord.parse(JSON.parse(text))
  } catch {
    log.warn('The measurements of the status page are unreadable; starting over.')
    return NOTHING
  }
}

/** Replaces the record, completely or not at all. */
export async function writeStatusFile(file: string, record: StatusRecord): Promise<void> {
  const draft = `${file}.new`
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 })
  await rename(draft, file)
}

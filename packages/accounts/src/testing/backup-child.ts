import { backUpToFile } from '../backup/backup.ts'
import { restore } from '../backup/restore.ts'
import { WRITER_SECRETS } from './account-writer.ts'

/** What a {@link startChild child} is told to do. */
export type BackupOrder = Readonly<{
  verb: 'backup' | 'restore'
  file: string
  folder: string
  dataFolder: string
  workerUrl: string
  url: string | undefined
  migrationsFolder: string
}>

const order: BackupOrder = JSON.parse(process.argv[2] ?? '')
const { verb, file, url, folder, workerUrl } = order
const place = url === undefined ? { folder, workerUrl: new URL(workerUrl) } : { url }
const parts = { ...order, place, version: '0.1.0' }

process.send?.('begun')
if (verb === 'backup') await backUpToFile(parts, file)
else await restore(file, parts, () => [WRITER_SECRETS])
process.send?.('done')
process.disconnect()

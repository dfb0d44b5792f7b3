import { createHash, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../database/open-database.ts'

/** The worker's source and the migrations, where tests find them. */
export const WORKER_URL = new URL('../database/pglite-worker.mjs', import.meta.url)
export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * The compiled code of the database. While one thread of a process holds it, all others reuse it, which saves a third of the
 * work of opening and closing a database.
 */
let code: Promise<object> | undefined

/** Node's types lack its functions. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> }

/** Holds the code from now on; others call it before their first database. */
export function holdCode(): Promise<object> {
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  code ??= readFile(join(dirname(pglite), 'pglite.wasm')).then((bytes) => WebAssembly.compile(bytes))
  return code
}

/** A fresh folder with an empty, migrated database, and a function that removes it. */
export async function createPgliteFolder(): Promise<{ folder: string; remove(): void }> {
  const folder = await copyPgliteTemplate(join(tmpdir(), `pairwire-test-${randomUUID()}`))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Puts an empty, migrated database into `folder`, and returns the folder. The first call on a machine builds a template,
 * which takes seconds; all others copy it.
 */
export async function copyPgliteTemplate(folder: string): Promise<string> {
  await holdCode()
  cpSync(await templateFolder(), folder, { recursive: true })
  return folder
}

async function templateFolder(): Promise<string> {
  const lockFile = fileURLToPath(new URL('../../package.json', import.meta.url))
  const journal = join(MIGRATIONS, 'meta', '_journal.json')
  const version = createHash('sha256')
    .update(readFileSync(lockFile))
    .update(readFileSync(journal))
    .digest('hex')
  const template = join(tmpdir(), `pairwire-pglite-template-${version.slice(0, 16)}`)
  if (existsSync(template)) return template

  const made = `${template}.${randomUUID()}`
  mkdirSync(made, { recursive: true })
  const database = await openDatabase(
    { folder: made, workerUrl: WORKER_URL },
    { migrationsFolder: MIGRATIONS, log: { warn: () => {} }, closeWithinMs: 60_000 },
  )
  await database.close()
  try {
    renameSync(made, template)
  } catch {
    // Another process was faster.
    rmSync(made, { recursive: true, force: true })
  }
  return template
}

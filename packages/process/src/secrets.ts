import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveSecret } from '@pairwire/accounts'
import { codeOf, readObject } from '@pairwire/basics'
import * as z from 'zod'

/** The keys of one deployment, 32 bytes each. */
export type Secrets = KeySecrets &
  Readonly<{
    /** Signs session tokens. */
    session: Uint8Array
  }>

/** The keys with which API keys are read. */
export type KeySecrets = Readonly<{
  /** Encrypts API keys at rest. */
  keyEncryption: Uint8Array
  /** Keys the hashes by which API keys and emails are found. */
  pepper: Uint8Array
}>

/** The secrets, and a function that stores those that were just created; it does nothing for others. */
type FoundSecrets = Readonly<{ secrets: Secrets; keep(): void }>

/** The two secrets that everything is derived from, as text. */
const KeptSecrets = z.object({ sessionSecret: z.string().min(32), keyEncryptionSecret: z.string().min(32) })
type KeptSecrets = z.infer<typeof KeptSecrets>

const WAY_BACK =
  'Put it back from a backup, or set both variables to the values it held: ' +
  'with other secrets every session and every API key would stop working.'

/**
 * Derives the keys from the two configured secrets. One that is not configured is created once and stored in `secrets.json`
 * of the data folder, readable by its owner only.
 *
 * @param hasDatabase whether a database exists that was created with secrets: then none are created
 * @throws Error with a sentence that names the variables, if the file is lost or damaged
 */
export function readSecrets(
  dataFolder: string,
  configured: { sessionSecret: string | undefined; keyEncryptionSecret: string | undefined },
  hasDatabase: boolean,
): FoundSecrets {
  const { sessionSecret, keyEncryptionSecret } = configured
  if (sessionSecret !== undefined && keyEncryptionSecret !== undefined) {
    return { secrets: deriveAll({ sessionSecret, keyEncryptionSecret }), keep: () => {} }
  }
  const file = join(dataFolder, 'secrets.json')
  const kept = readKept(file)
  if (kept === undefined && hasDatabase) throw refusal(`${file} is missing, beside a database that needs it.`)

  const makeOne = () => randomBytes(32).toString('base64url')
  const made = kept ?? { sessionSecret: makeOne(), keyEncryptionSecret: makeOne() }
  return {
    secrets: deriveAll({
      sessionSecret: sessionSecret ?? made.sessionSecret,
      keyEncryptionSecret: keyEncryptionSecret ?? made.keyEncryptionSecret,
    }),
    keep: () => {
      if (kept === undefined) writeKept(file, made)
    },
  }
}

/** @returns undefined if there is no such file */
function readKept(file: string): KeptSecrets | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    throw refusal(`${file} cannot be read (${code}).`)
  }
  try {
    return KeptSecrets.parse(JSON.parse(text))
  } catch {
    // Neither the text nor its fault is repeated: it is a secret.
    throw refusal(`${file} is ${text.trim() === '' ? 'empty' : 'cut off or damaged'}.`)
  }
}

/** Writes all or nothing: a truncated file would fail every start after this one. */
function writeKept(file: string, secrets: KeptSecrets): void {
  writeFileSync(`${file}.new`, JSON.stringify(secrets), { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function refusal(fault: string): Error {
  return new Error(`SESSION_SECRET, KEY_ENCRYPTION_SECRET: ${fault} ${WAY_BACK}`)
}

function deriveAll({ sessionSecret, keyEncryptionSecret }: KeptSecrets): Secrets {
  return {
    session: deriveSecret(sessionSecret, 'pairwire session'),
    ...deriveKeySecrets(keyEncryptionSecret),
  }
}

/** The keys that may open a backup with this `secrets.json`: of the environment, then of the file. */
export function findKeySecrets(configured: string | undefined, kept: string | undefined): KeySecrets[] {
  const file = kept === undefined ? undefined : KeptSecrets.safeParse(readObject(kept)).data
  return [configured, file?.keyEncryptionSecret].flatMap((text) => (text ? deriveKeySecrets(text) : []))
}

/** The keys of a process that reads API keys and opens no session. */
export function deriveKeySecrets(keyEncryptionSecret: string): KeySecrets {
  return {
    keyEncryption: deriveSecret(keyEncryptionSecret, 'pairwire key encryption'),
    pepper: deriveSecret(keyEncryptionSecret, 'pairwire pepper'),
  }
}

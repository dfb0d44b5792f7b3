import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The keys of one deployment, 32 bytes each. */
export type Secrets = Readonly<{
  /** Signs session tokens. */
  session: Uint8Array
  /** Encrypts API keys at rest. */
  keyEncryption: Uint8Array
  /** Keys the hashes by which API keys and emails are found. */
  pepper: Uint8Array
}>

/**
 * Derives the keys from the two configured secrets. One that is not configured is made once and kept in
 * `secrets.json` of the data folder, which only its owner may read.
 */
export function readSecrets(
  dataFolder: string,
  configured: { sessionSecret: string | undefined; keyEncryptionSecret: string | undefined },
): Secrets {
  const { sessionSecret, keyEncryptionSecret } =
    configured.sessionSecret && configured.keyEncryptionSecret
      ? { sessionSecret: configured.sessionSecret, keyEncryptionSecret: configured.keyEncryptionSecret }
      : { ...keptSecrets(dataFolder), ...definedOf(configured) }

  return {
    session: derive(sessionSecret, 'pairwire session'),
    keyEncryption: derive(keyEncryptionSecret, 'pairwire key encryption'),
    pepper: derive(keyEncryptionSecret, 'pairwire pepper'),
  }
}

const KeptSecrets = z.object({ sessionSecret: z.string().min(32), keyEncryptionSecret: z.string().min(32) })

function keptSecrets(dataFolder: string): z.infer<typeof KeptSecrets> {
  const file = join(dataFolder, 'secrets.json')
  if (existsSync(file)) {
    const kept = KeptSecrets.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    // Making new ones here would lock every user out of their keys without a word.
    if (!kept.success) throw new Error(`${file} is damaged. Put it back from a backup.`)
    return kept.data
  }
  const made = {
    sessionSecret: randomBytes(32).toString('base64url'),
    keyEncryptionSecret: randomBytes(32).toString('base64url'),
  }
  writeFileSync(file, JSON.stringify(made), { mode: 0o600, flag: 'wx', flush: true })
  return made
}

function definedOf(configured: {
  sessionSecret: string | undefined
  keyEncryptionSecret: string | undefined
}) {
  return Object.fromEntries(Object.entries(configured).filter(([, value]) => value !== undefined))
}

/** @see RFC 5869 */
function derive(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
}

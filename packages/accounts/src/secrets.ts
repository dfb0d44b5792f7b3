import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** All operations with the secrets; the secrets themselves never leave. */
export type Secrets = Readonly<{
  hashKey(key: string): string
  hashToken(token: string): string
  /** Hashes the person that `personOfEmail` returns. */
  hashEmail(person: string): string
  hashCaptcha(signature: string): string
  /** Proves that an order's token was issued here: 43 characters of base64url. */
  proveOrder(text: string): string
  /** Encrypts API keys, so that they can be shown again; each is bound to its account, so that rows cannot be swapped. */
  keys: Seal
  /** Encrypts the secrets of operators' codes; each is bound to its operator. */
  codes: Seal
  /** Encrypts the secrets of webhooks; each is bound to its endpoint. */
  webhooks: Seal
  /** Encrypts the values of mails; each is bound to its mail. */
  letters: Seal
}>

/** Encrypts texts for one purpose, each for an owner. */
type Seal = Readonly<{
  seal(text: string, owner: string): string
  /** @throws Error if it was sealed with another secret, for another purpose or for another owner */
  open(sealed: string, owner: string): string
}>

/** Bytes of a secret: the key size of AES-256, and the block that HMAC-SHA-256 is as strong as. */
const SECRET_BYTES = 32

/** Bytes of AES-GCM's nonce. @see NIST SP 800-38D section 5.2.1.1 */
const NONCE_BYTES = 12

/** Bytes of AES-GCM's tag, its longest. */
const TAG_BYTES = 16

/**
 * Derives one secret per purpose from two secrets of 32 bytes, so that no hash or ciphertext reveals anything about another.
 *
 * @throws RangeError when one is not 32 bytes
 */
export function createSecrets({
  keyEncryption,
  pepper,
}: {
  keyEncryption: Uint8Array
  pepper: Uint8Array
}): Secrets {
  for (const secret of [keyEncryption, pepper]) {
    if (secret.length !== SECRET_BYTES) throw new RangeError(`A secret must have ${SECRET_BYTES} bytes.`)
  }
  // Names the secret in everything it sealed, so that a later secret can be used beside it.
  const secretId = deriveSecret(keyEncryption, 'pairwire accounts: name of the sealing key')
    .subarray(0, 4)
    .toString('hex')
  const sealFor = (purpose: string) =>
    createSeal(deriveSecret(keyEncryption, `pairwire accounts: seal ${purpose}`), secretId)

  return {
    hashKey: keyedHash(deriveSecret(pepper, 'pairwire accounts: find API keys')),
    hashToken: keyedHash(deriveSecret(pepper, 'pairwire accounts: find login tokens')),
    hashEmail: keyedHash(deriveSecret(pepper, 'pairwire accounts: remember emails with a trial')),
    hashCaptcha: keyedHash(deriveSecret(pepper, 'pairwire accounts: remember captchas')),
    proveOrder: keyedHash(deriveSecret(pepper, 'pairwire accounts: tokens of orders'), 'base64url'),

    keys: sealFor('API keys'),
    codes: sealFor('codes of operators'),
    webhooks: sealFor('webhooks'),
    letters: sealFor('letters'),
  }
}

/** Authenticated encryption with `key`; a sealed text opens for the same `owner` only. */
function createSeal(key: Buffer, secretId: string): Seal {
  return {
    seal(text, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${secretId}.${bytes.toString('base64url')}`
    },

    open(sealed, owner) {
      const [version, usedId, text] = sealed.split('.')
      if (version !== 'v1' || usedId !== secretId || text === undefined) {
        throw new Error('something is stored with another KEY_ENCRYPTION_SECRET')
      }
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      )
    },
  }
}

/** 32 bytes for one purpose; they reveal neither the secret nor the bytes for another purpose. @see RFC 5869 */
export function deriveSecret(secret: string | Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, SECRET_BYTES))
}

function keyedHash(key: Buffer, form: 'hex' | 'base64url' = 'hex'): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest(form)
}

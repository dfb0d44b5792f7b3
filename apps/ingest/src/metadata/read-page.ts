import { isObject, readObject } from '@pairwire/basics'
import type { Socials } from '@pairwire/contract'
import { type OwnPages, readFileUrl } from '@pairwire/public-fetch'
import { boundText, MAX_LINK_LENGTH } from '../bound-text.ts'

/** The fields of a token's page that are passed on. */
export type TokenPage = Readonly<{
  name: string | null
  symbol: string | null
  /** Address of a picture that can be fetched. */
  logo: string | null
  socials: Socials | null
}>

/**
 * Reads the JSON of a token's page, which is untrusted: fields in the right form are kept, all others are dropped.
 * `undefined` when it is no JSON object.
 *
 * @see https://developers.metaplex.com/token-metadata/token-standard
 */
export function readPage(bytes: Uint8Array, own?: Pick<OwnPages, 'prefix'>): TokenPage | undefined {
  const page = readObject(UTF8.decode(bytes))
  if (!page) return undefined
  const extensions = isObject(page.extensions) ? page.extensions : {}
  const read = (name: string) => textOf(page[name]) ?? textOf(extensions[name])
  const logo = read('image')
  const socials = {
    website: linkOf(read('website') ?? read('external_url')),
    x: linkOf(read('twitter') ?? read('x'), 'https://x.com/'),
    telegram: linkOf(read('telegram'), 'https://t.me/'),
  }
  return {
    name: plainTextOf(read('name')),
    symbol: plainTextOf(read('symbol')),
    logo: logo && logo.length <= MAX_LINK_LENGTH && readFileUrl(logo, own) ? logo : null,
    socials: Object.values(socials).some((link) => link !== null) ? socials : null,
  }
}

function textOf(value: unknown): string | undefined {
  // Half of a character, which JSON can escape, is no Unicode: strict readers refuse the frame.
  const text = typeof value === 'string' ? Buffer.from(value).toString().trim() : ''
  return text === '' ? undefined : text
}

/** Removes characters that end lines or control a terminal. */
function plainTextOf(text: string | undefined): string | null {
  const plain = text?.replace(/\p{Cc}+/gu, ' ').trim()
  return plain ? boundText(plain) : null
}

/** Returns a web address, or the name of an account `below` one; null for anything else. */
function linkOf(text: string | undefined, below?: string): string | null {
  if (text === undefined || text.length > MAX_LINK_LENGTH) return null
  if (below !== undefined && /^@?\w{1,64}$/.test(text)) return below + text.replace('@', '')
  if (!URL.canParse(text)) return null
  const { protocol, username, password, href } = new URL(text)
  const isWeb = (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
  return isWeb && href.length <= MAX_LINK_LENGTH ? href : null
}

const UTF8 = new TextDecoder('utf-8')

import {
  createPublicFetch,
  createPublicResolver,
  type OwnPages,
  type PublicFetch,
} from '@pairwire/public-fetch'

/** Bytes of a page, also once it is unpacked. */
const PAGE_MAX_BYTES = 256 * 1024

/** Types of a page: of JSON, and what hosts call it that do not know what it is. */
const IS_PAGE = /^(application\/([\w.-]+\+)?json|text\/(plain|json)|(application|binary)\/octet-stream)\b|^$/i

/** Reads pages of tokens from the public internet, and of `own` where there are any. */
export function openPages(own?: OwnPages): PublicFetch {
  return createPublicFetch({
    resolve: createPublicResolver(),
    sizeLimit: PAGE_MAX_BYTES,
    accept: 'application/json, text/plain;q=0.9',
    takes: (contentType) => IS_PAGE.test(contentType.trim()),
    own,
  })
}

import {
  createPublicFetch,
  createPublicResolver,
  type OwnPages,
  type PublicFetch,
} from '@pairwire/public-fetch'

/** Bytes of a page, packed or unpacked. */
const PAGE_MAX_BYTES = 256 * 1024

/** Content types of a page: JSON, and generic types that hosts use. */
const IS_PAGE = /^(application\/([\w.-]+\+)?json|text\/(plain|json)|(application|binary)\/octet-stream)\b|^$/i

/** Reads pages of tokens from the public internet, and from `own` if given. */
export function openPages(own?: OwnPages): PublicFetch {
  return createPublicFetch({
    resolve: createPublicResolver(),
    sizeLimit: PAGE_MAX_BYTES,
    accept: 'application/json, text/plain;q=0.9',
    takes: (contentType) => IS_PAGE.test(contentType.trim()),
    own,
  })
}

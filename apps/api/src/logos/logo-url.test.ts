import { describe, expect, it } from 'vitest'
import { readLogoUrl } from './logo-url.ts'

const CID = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
const TRANSACTION = 'a'.repeat(43)

describe('where a logo is fetched', () => {
  it.each([
    ['https://logo.example/a.png?x=1', 'https://logo.example/a.png?x=1'],
    [`ipfs://${CID}`, `https://ipfs.io/ipfs/${CID}`],
    [`ipfs://ipfs/${CID}/1.png`, `https://ipfs.io/ipfs/${CID}/1.png`],
    [`ar://${TRANSACTION}`, `https://arweave.net/${TRANSACTION}`],
  ])('%s is %s', (text, href) => {
    expect(readLogoUrl(text)?.href).toBe(href)
  })

  it.each([
    'http://logo.example/a.png',
    'https://logo.example:8443/a.png',
    'https://me:secret@logo.example/a.png',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    '//logo.example/a.png',
    'ipfs://short',
    `ipfs://${CID}/../../api`,
    'ar://short',
    `https://logo.example/${'a'.repeat(3_000)}`,
    '',
  ])('%s is nowhere', (text) => {
    expect(readLogoUrl(text)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { readFileUrl } from './file-url.ts'

const CID = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
const TRANSACTION = 'a'.repeat(43)

describe('the address of a file', () => {
  it.each([
    ['https://logo.example/a.png?x=1', 'https://logo.example/a.png?x=1'],
    [`ipfs://${CID}`, `https://ipfs.io/ipfs/${CID}`],
    [`ipfs://ipfs/${CID}/1.png`, `https://ipfs.io/ipfs/${CID}/1.png`],
    [`ar://${TRANSACTION}`, `https://arweave.net/${TRANSACTION}`],
  ])('%s is %s', (text, href) => {
    expect(readFileUrl(text)?.href).toBe(href)
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
  ])('is undefined for %s', (text) => {
    expect(readFileUrl(text)).toBeUndefined()
  })

  it('is one of our own pages if there are any, by its plain name only', () => {
    const own = { prefix: 'http://localhost:8080/dev/tokens/' }
    const name = 'So11111111111111111111111111111111111111112'

    expect(readFileUrl(`${own.prefix}${name}.json`, own)?.pathname).toBe(`/dev/tokens/${name}.json`)
    for (const text of [
      `../mail.json`,
      `${name}.json?x=1`,
      `${name}.json/../../mail.json`,
      `%2e%2e/mail.json`,
    ]) {
      expect(readFileUrl(own.prefix + text, own)).toBeUndefined()
    }
    expect(readFileUrl('http://localhost:8080/dev/mail.json', own)).toBeUndefined()
    expect(readFileUrl(`${own.prefix}${name}.json`)).toBeUndefined()
  })
})

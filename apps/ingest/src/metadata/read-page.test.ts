import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPage } from './read-page.ts'

const read = (page: unknown) => readPage(Buffer.from(JSON.stringify(page)))
const NOTHING = { name: null, symbol: null, logo: null, socials: null }

describe('the page of a token', () => {
  it('gives name, symbol, picture and links', () => {
    const page = {
      name: 'Maple Otter',
      symbol: 'OTTER',
      description: 'swims',
      image: 'ipfs://bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq',
      twitter: 'https://x.com/otter',
      telegram: '@otter_chat',
      website: 'https://otter.example',
      showName: true,
    }

    expect(read(page)).toEqual({
      name: 'Maple Otter',
      symbol: 'OTTER',
      logo: page.image,
      socials: {
        website: 'https://otter.example/',
        x: 'https://x.com/otter',
        telegram: 'https://t.me/otter_chat',
      },
    })
  })

  it('gives only whole characters, however it escapes halves of them', () => {
    const page = read({ name: 'A\ud83d', symbol: '\udc00', image: 'https://a.example/\ud83d.png' })

    expect(page).toMatchObject({ name: 'A\ufffd', symbol: '\ufffd', logo: 'https://a.example/\ufffd.png' })
    expect(read({ name: '🦦' })?.name).toBe('🦦')
  })

  it('may have its links as in Metaplex’s standard or in older lists', () => {
    const page = {
      external_url: 'http://a.example/',
      extensions: { twitter: 'a', telegram: 'https://t.me/a' },
    }

    expect(read(page)?.socials).toEqual({
      website: 'http://a.example/',
      x: 'https://x.com/a',
      telegram: 'https://t.me/a',
    })
  })

  it.each([
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'https://me:secret@a.example/',
    'file:///etc/passwd',
    `https://a.example/${'a'.repeat(600)}`,
    7,
    { toString: 'x' },
    '',
  ])('has no link and no picture in %j', (value) => {
    expect(read({ image: value, website: value, twitter: value, telegram: value })).toEqual(NOTHING)
  })

  it('loses control characters in its texts, and excess length', () => {
    const page = read({ name: 'Nut\u0000\u001b[31m\r\nred', symbol: 'N'.repeat(5_000) })

    expect(page?.name).toBe('Nut [31m red')
    expect(page?.symbol).toHaveLength(256)
  })

  it.each(['', 'null', '[]', '"text"', '7', '{"name":', '<html>', '\u{feff}'])(
    'is undefined when it is %j',
    (text) => {
      expect(readPage(Buffer.from(text))).toBeUndefined()
    },
  )

  it('may be as deeply nested as fits, without effect', () => {
    const depth = 120_000
    const deep = `${'{"image":'.repeat(20_000)}1${'}'.repeat(20_000)}`

    expect(readPage(Buffer.from('['.repeat(depth) + ']'.repeat(depth)))).toBeUndefined()
    expect(readPage(Buffer.from(deep))).toEqual(NOTHING)
  })

  it('never throws, whatever its bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const page = readPage(bytes)
          if (page) expect(Object.keys(page)).toEqual(['name', 'symbol', 'logo', 'socials'])
        },
      ),
    )
  })
})

import { expect, it } from 'vitest'
import { readHiddenConfig } from './hidden-texts.ts'

it('finds secrets, logins, and paths that may be keys, and leaves public addresses alone', () => {
  const texts = readHiddenConfig({
    SESSION_SECRET: 'session-secret',
    SOLANA_SOURCE: 'yellowstone+https://grpc.example/key-in-path rpc+https://user:pa%20ss@rpc.example',
    SOLANA_SOURCE_TOKEN: 'token-one token-two',
    SOLANA_RPC_URL: 'https://rpc.example/v2/abcdef?api-key=ghijkl',
    DATABASE_URL: 'postgres://pairwire:pg-word@db.example/accounts',
    PUBLIC_URL: 'https://stream.example/streams',
    SMTP_URL: 'smtps://hello%40stream.example:mail-word@mail.example',
  })

  expect(texts).toEqual(
    expect.arrayContaining([
      ...['session-secret', 'key-in-path', 'pa ss', 'pa%20ss', 'token-one', 'token-two', 'abcdef', 'ghijkl'],
      ...['pg-word', 'mail-word', 'hello@stream.example'],
    ]),
  )
  expect(texts.join()).not.toMatch(/accounts|streams|db\.example/)
})

import { ConfigError } from '@pairwire/process'
import { describe, expect, it } from 'vitest'
import { readConfig, readSourceConfig } from './config.ts'

const SECRET = 'x'.repeat(32)

const PADDLE = {
  PAYMENT_PROVIDER: 'paddle',
  PADDLE_API_KEY: 'key',
  PADDLE_CLIENT_TOKEN: 'token',
  PADDLE_WEBHOOK_SECRET: 'secret',
  PADDLE_PRICE_1: 'pri_1',
  PADDLE_PRICE_2: 'pri_2',
  PADDLE_PRICE_3: 'pri_3',
  PADDLE_API_URL: 'http://127.0.0.1:9',
}

/** Everything that a production host needs. */
const PRODUCTION = {
  PUBLIC_URL: 'https://pairwire.example',
  SOLANA_SOURCE: 'replay:/recordings',
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'Pairwire <hello@pairwire.example>',
  SESSION_SECRET: SECRET,
  KEY_ENCRYPTION_SECRET: SECRET,
}

/** The sentences with which `environment` is refused. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('config', () => {
  it('needs no variable at all', () => {
    const config = readConfig({})

    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://localhost:8080',
      production: false,
      solanaSource: 'simulator',
      captcha: { provider: 'altcha' },
      statusUrl: '/status',
    })
  })

  it('keeps a day or 10 GB for resuming, and accepts another time, another size or both', () => {
    const [hour, gigabyte] = [3_600_000, 1_000_000_000]
    const retentionOf = (RETENTION: string) => readConfig({ RETENTION }).retention

    expect(readConfig({}).retention).toEqual({ milliseconds: 24 * hour, bytes: 10 * gigabyte })
    expect(retentionOf('7d 200GB')).toEqual({ milliseconds: 168 * hour, bytes: 200 * gigabyte })
    expect(retentionOf('90m')).toEqual({ milliseconds: 1.5 * hour, bytes: 10 * gigabyte })
    expect(retentionOf('500 mb')).toEqual({ milliseconds: 24 * hour, bytes: gigabyte / 2 })
    for (const wrong of ['24', '0h', '10GB 24h', '1.5h', 'a day', '-1h']) {
      expect(faultsOf({ RETENTION: wrong })[0]).toMatch(/^RETENTION: must be a time in m, h or d/)
    }
  })

  it.each([
    ['PUBLIC_URL', 'pairwire.example'],
    ['ADMIN_URL', 'admin.pairwire.example'],
    ['ARCHIVE_PUBLIC_URL', 'files.pairwire.example:9000'],
  ])('says what %s must be where its scheme is missing', (name, address) => {
    expect(faultsOf({ [name]: address })).toEqual([`${name}: must be an http or https address.`])
  })

  it('says that STATUS_URL may be a path', () => {
    expect(faultsOf({ STATUS_URL: 'status.pairwire.example' })).toEqual([
      'STATUS_URL: must be a path or an http(s) address.',
    ])
  })

  it('says a fault once that a value has in two ways', () => {
    expect(faultsOf({ PORT: '99999999999999999999' })).toEqual([
      'PORT: must be a whole number from 1 to 65535.',
    ])
  })

  it('derives PUBLIC_URL from the port and drops its trailing slash', () => {
    expect(readConfig({ PORT: '9000' }).publicUrl).toBe('http://localhost:9000')
    expect(readConfig({ PUBLIC_URL: ' HTTP://LocalHost:80/ ' }).publicUrl).toBe('http://localhost')
    expect(readConfig({ PUBLIC_URL: 'http://[::1]:8080' }).publicUrl).toBe('http://[::1]:8080')
  })

  it('refuses a PUBLIC_URL with a path: links in mails would lead to no page', () => {
    expect(faultsOf({ PUBLIC_URL: 'http://localhost:8080/streams' })).toEqual([
      'PUBLIC_URL: must have no path: the pages stand at the root of their host.',
    ])
  })

  it('names all faults at once, each with its variable', () => {
    const faults = faultsOf({
      PORT: 'eighty',
      PUBLIC_URL: 'ftp://x',
      SESSION_SECRET: 'short',
      NATS_URL: 'localhost',
    })

    for (const name of ['PORT', 'PUBLIC_URL', 'SESSION_SECRET', 'NATS_URL']) {
      expect(faults.filter((fault) => fault.startsWith(`${name}:`))).toHaveLength(1)
    }
  })

  it('refuses every NATS_URL that the bus would refuse, without a secret in the sentence', () => {
    const wrongs = [
      'nats://api:secret%@one',
      'nats://api:secret@one/x',
      'nats://one?pass=secret',
      'nats://[::1',
      'nats://api:secret@one,',
    ]
    for (const wrong of wrongs) {
      const [fault, ...others] = faultsOf({ ...PRODUCTION, NATS_URL: wrong })
      expect(fault).toMatch(/^NATS_URL: must /)
      expect(fault).not.toContain('secret')
      expect(others).toEqual([])
    }
  })

  it('refuses, in production, NATS without a login, and NATS on the internet without TLS, without a secret in the sentence', () => {
    const natsFaults = (NATS_URL: string) => faultsOf({ ...PRODUCTION, NATS_URL })

    for (const url of ['nats://nats:4222', 'nats://127.0.0.1', 'tls://nats.pairwire.example']) {
      expect(natsFaults(url)).toEqual([expect.stringMatching(/^NATS_URL: .* needs a login/)])
    }
    for (const host of [
      'nats.pairwire.example',
      '203.0.113.7:4222',
      '[2001:db8::1]',
      '10.0.0.1,nats://1.2.3.4',
    ]) {
      const [fault, ...others] = natsFaults(`nats://ingest:hunter2@${host}`)
      expect(fault).toMatch(/^NATS_URL: .* needs tls:/)
      expect(fault).not.toContain('hunter2')
      expect(others).toEqual([])
    }
    const hosts = ['nats:4222', 'localhost', '[::1]', '10.1.2.3', '172.20.0.2', '[fd00::1]', 'nats.internal']
    for (const host of hosts) expect(natsFaults(`nats://api:secret@${host}`)).toEqual([])
    expect(natsFaults('tls://api:secret@nats.pairwire.example')).toEqual([])
    expect(natsFaults('tls://nats.pairwire.example?creds=/etc/pairwire/api.creds')).toEqual([])
    expect(natsFaults('nats://one.example,nats://two.example?creds=/a.creds&ca=/ca.pem')).toEqual([])
    expect(faultsOf({ NATS_URL: 'nats://nats.pairwire.example' })).toEqual([])
  })

  it('has no third party until its variable is set, and reports errors from a production host only', () => {
    const set = {
      SENTRY_DSN: 'https://0a1b2c@o1.ingest.sentry.example/42',
      CRISP_WEBSITE_ID: '5f0c2a9e-71d8-4b36-a5e0-f1c2d3b4a596',
      CLARITY_PROJECT_ID: 'abc123def4',
    }

    expect(readConfig({}).thirdParties).toEqual({})
    expect(readConfig(set).thirdParties).toEqual({
      crispWebsiteId: set.CRISP_WEBSITE_ID,
      clarityProjectId: set.CLARITY_PROJECT_ID,
    })
    expect(faultsOf({ SENTRY_DSN: 'key', CRISP_WEBSITE_ID: 'x', CLARITY_PROJECT_ID: '<x>' })).toHaveLength(3)
  })

  it('refuses unknown parts by name', () => {
    expect(faultsOf({ PAYMENT_PROVIDER: 'cash' })[0]).toContain('PAYMENT_PROVIDER')
  })

  it('takes payments in the sandbox by default, and names everything that Paddle lacks at once', () => {
    expect(readConfig({}).payment).toEqual({ provider: 'sandbox' })
    expect(faultsOf({ PAYMENT_PROVIDER: 'paddle' }).map((fault) => fault.split(':')[0])).toEqual([
      'PADDLE_API_KEY',
      'PADDLE_CLIENT_TOKEN',
      'PADDLE_WEBHOOK_SECRET',
      'PADDLE_PRICE_1',
      'PADDLE_PRICE_2',
      'PADDLE_PRICE_3',
    ])
    expect(readConfig(PADDLE).payment).toEqual({
      provider: 'paddle',
      apiKey: 'key',
      clientToken: 'token',
      webhookSecret: 'secret',
      prices: { 1: ['pri_1'], 2: ['pri_2'], 3: ['pri_3'] },
      orderPrices: undefined,
      apiUrl: 'http://127.0.0.1:9',
    })
    expect(faultsOf({ ...PADDLE, PADDLE_PRICE_3: 'pri_1' })[0]).toContain('PADDLE_PRICE')
    expect(faultsOf({ ...PADDLE, PADDLE_PRICE_3: 'pri_3,pri_1' })[0]).toContain('PADDLE_PRICE')
    expect(faultsOf({ ...PADDLE, PADDLE_API_URL: 'ftp://x' })[0]).toContain('PADDLE_API_URL')
  })

  it('sells history with Paddle if it has all four prices, and names the missing ones', () => {
    const prices = { hour: 'pri_h', day: 'pri_d', week: 'pri_w', month: 'pri_m' }
    const all = Object.fromEntries(
      Object.entries(prices).map(([id, price]) => [`PADDLE_PRICE_${id.toUpperCase()}`, price]),
    )

    expect(readConfig({ ...PADDLE, ...all }).payment).toMatchObject({ orderPrices: prices })
    expect(faultsOf({ ...PADDLE, ...all, PADDLE_PRICE_DAY: '' })).toEqual([
      'PADDLE_PRICE_DAY: set all four prices of history, or none.',
    ])
    expect(faultsOf({ ...PADDLE, ...all, PADDLE_PRICE_DAY: 'pri_w' })[0]).toContain('only once')
    expect(faultsOf({ ...PADDLE, ...all, PADDLE_PRICE_DAY: 'pri_w,pri_x' })[0]).toContain('PADDLE_PRICE_DAY')
  })

  it('accepts several prices of a plan; the first is for new customers', () => {
    const { payment } = readConfig({ ...PADDLE, PADDLE_PRICE_2: ' pri_2,pri_2b , pri_2a' })

    expect(payment).toMatchObject({ prices: { 2: ['pri_2', 'pri_2b', 'pri_2a'] } })
    for (const odd of ['pri_2,', ',', 'pri_2,,pri_3', 'pri_2 pri_4']) {
      expect(faultsOf({ ...PADDLE, PADDLE_PRICE_2: odd })).toEqual([
        'PADDLE_PRICE_2: must be the id of a price, or several separated by commas.',
      ])
    }
  })

  // Guards a public host against simulated data, lost mails and secrets stored beside the data.
  it('applies the production rules to an https host', () => {
    const faults = faultsOf({ PUBLIC_URL: 'https://pairwire.example' })

    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'SOLANA_SOURCE',
      'SMTP_URL',
      'SESSION_SECRET',
      'KEY_ENCRYPTION_SECRET',
    ])
  })

  // Guards against a mailbox that everybody can read, opened by a capital letter or a blank.
  it.each(['HTTPS://pairwire.example', ' https://pairwire.example', 'hTTps://localhost:8443'])(
    'reads the protocol of "%s" instead of comparing its text',
    (address) => {
      expect(faultsOf({ PUBLIC_URL: address })).toHaveLength(4)
      expect(readConfig({ ...PRODUCTION, PUBLIC_URL: address })).toMatchObject({
        production: true,
        isLocal: false,
        publicUrl: expect.stringMatching(/^https:\/\/[a-z]/),
      })
    },
  )

  it('refuses a public address without https, unless it is allowed', () => {
    for (const address of [
      'http://box.lan',
      'http://192.168.1.4:8080',
      'http://localhost.example',
      'http://0.0.0.0',
    ]) {
      const faults = faultsOf({ ...PRODUCTION, PUBLIC_URL: address })
      expect(faults).toHaveLength(1)
      expect(faults[0]).toMatch(/^PUBLIC_URL: .*https.*ALLOW_INSECURE/)
      expect(readConfig({ ...PRODUCTION, PUBLIC_URL: address, ALLOW_INSECURE: '1' }).production).toBe(true)
    }
    expect(faultsOf({ PUBLIC_URL: 'http://box.lan', ALLOW_INSECURE: '1' })).toHaveLength(4)
    expect(faultsOf({ ALLOW_INSECURE: 'yes' })[0]).toContain('ALLOW_INSECURE')
  })

  it('is local only if both its address and the one that it is bound to are', () => {
    expect(readConfig({}).isLocal).toBe(true)
    expect(readConfig({ HOST: 'localhost', PUBLIC_URL: 'http://127.0.0.1:9000' }).isLocal).toBe(true)
    expect(readConfig({ HOST: '::1' }).isLocal).toBe(true)
    for (const host of ['0.0.0.0', '::', '10.0.0.4', 'box.lan', 'localhost.box.lan'])
      expect(readConfig({ HOST: host })).toMatchObject({ production: false, isLocal: false })
    expect(readConfig({ ...PRODUCTION, HOST: '127.0.0.1' }).isLocal).toBe(false)
  })

  it('recognises the simulator despite blanks', () => {
    expect(faultsOf({ ...PRODUCTION, SOLANA_SOURCE: ' simulator?swaps=9' })[0]).toMatch(/^SOLANA_SOURCE:/)
  })

  it('names the alternatives to the simulator, and the command that checks an endpoint', () => {
    const [fault] = faultsOf({ ...PRODUCTION, SOLANA_SOURCE: 'simulator' })

    for (const words of [
      'yellowstone+https://',
      'SOLANA_SOURCE_TOKEN',
      'rpc+https://',
      'logs+wss://',
      'check-source <url>',
    ])
      expect(fault).toContain(words)
  })

  it('reads the source of the chain, whatever else is wrong', () => {
    expect(
      readSourceConfig({
        ...PRODUCTION,
        PORT: 'high',
        SOLANA_SOURCE_TOKEN: 'a  b',
        SOLANA_RPC_URL: 'https://rpc',
      }),
    ).toMatchObject({ solanaSourceTokens: ['a', 'b'], solanaRpcUrl: 'https://rpc' })
  })

  it('refuses secrets that were lost or truncated, by name', () => {
    for (const value of ['', ' ', 'x'.repeat(31), ' '.repeat(40)]) {
      for (const name of ['SESSION_SECRET', 'KEY_ENCRYPTION_SECRET'])
        expect(faultsOf({ [name]: value })).toEqual([
          expect.stringMatching(`^${name}: must have at least 32`),
        ])
    }
  })

  it('refuses a mail server without a host, and a sender without an address', () => {
    const mail = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'hello@pairwire.example' }
    expect(readConfig(mail).mailFrom).toBe('hello@pairwire.example')
    expect(readConfig({ ...mail, MAIL_FROM: 'Pair, wire <a@b.example>' }).mailFrom).toBe(
      'Pair, wire <a@b.example>',
    )

    expect(faultsOf({ ...mail, SMTP_URL: 'smtp://' })).toEqual([expect.stringMatching(/^SMTP_URL: /)])
    for (const MAIL_FROM of ['Pairwire', 'a@b.example\r\nBcc: c@d.example', '<@>', 'a <b@c> <d@e>'])
      expect(faultsOf({ ...mail, MAIL_FROM })).toEqual([expect.stringMatching(/^MAIL_FROM: /)])
  })

  it('refuses to trust everyone as a proxy, and values that are not addresses', () => {
    for (const wrong of [
      '0.0.0.0/0',
      '::/0',
      '0.0.0.0/1,128.0.0.0/1',
      '10.0.0.0/7',
      '::ffff:0.0.0.0/96',
      '::/80',
      '2000::/3',
      '127.0.0.1, ::/1',
      'true',
      '*',
      '1',
      'proxy.lan',
      '10.0.0.0/33',
      '10.0.0.0/x',
    ]) {
      expect(faultsOf({ TRUST_PROXY: wrong }), wrong).toEqual([expect.stringMatching(/^TRUST_PROXY: /)])
    }
    expect(
      readConfig({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,fc00::/7, 2400:cb00::/32,::1, uniquelocal' })
        .trustProxy,
    ).toEqual(['127.0.0.1', '10.0.0.0/8', 'fc00::/7', '2400:cb00::/32', '::1', 'uniquelocal'])
  })

  it('refuses the built-in checkout on an https host', () => {
    const faults = faultsOf({ PUBLIC_URL: 'https://pairwire.example', PAYMENT_PROVIDER: 'sandbox' })

    expect(faults.some((fault) => fault.startsWith('PAYMENT_PROVIDER:'))).toBe(true)
  })

  it('allows an https host to run on a replay', () => {
    const config = readConfig(PRODUCTION)

    expect(config.production).toBe(true)
    expect(config.payment).toBeUndefined()
  })

  it('treats an empty variable as not set', () => {
    expect(readConfig({ SMTP_URL: '', PORT: '' }).port).toBe(8080)
  })
})

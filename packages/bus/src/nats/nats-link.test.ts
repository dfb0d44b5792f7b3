import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { aFolder } from '../testing/a-store.ts'
import { signedUser } from '../testing/nats-credentials.ts'
import { type NatsServer, startNatsServer, whyNoNatsServer } from '../testing/nats-server.ts'
import { aBlock } from '../testing/slot-end.ts'
import { openNatsBus, readNatsAddress } from './nats-bus.ts'

const missing = whyNoNatsServer()
if (missing) console.warn(`The way to NATS is not tested: ${missing}.`)

describe.skipIf(missing !== undefined)('a NATS that cannot be used', () => {
  const servers: NatsServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })
  const start = async (settings?: string) => {
    const server = await startNatsServer(settings)
    servers.push(server)
    return server
  }
  const opening = (url: string, bytes = 1_000_000, said: string[] = []) =>
    openNatsBus({
      address: readNatsAddress(url),
      source: 'chain',
      retention: { milliseconds: 3_600_000, bytes },
      log: { info: (line) => said.push(line), warn: (line) => said.push(line) },
      maxBytes: 1_000,
    })

  it('stops the start with a sentence when nothing listens', async () => {
    const server = await start()
    await server.kill()

    await expect(opening(server.url)).rejects.toThrow(
      `Pairwire cannot reach NATS at 127.0.0.1:${server.port}: nothing listens there.`,
    )
  })

  it('stops the start with a sentence that does not contain the refused password', async () => {
    const server = await start('authorization { user: pairwire, password: right }')
    const url = server.url.replace('//', '//pairwire:wrong-secret@')

    await expect(opening(url)).rejects.toThrow(
      `Pairwire cannot reach NATS at 127.0.0.1:${server.port}: it does not accept the credentials in NATS_URL.`,
    )
    const bus = await opening(url.replace('wrong-secret', 'right'))
    await bus.close()
  })

  it('accepts a file of credentials, and refuses a connection without', async () => {
    const { settings, credentials } = signedUser()
    const file = join(aFolder(), 'pairwire.creds')
    writeFileSync(file, credentials)
    const server = await start(settings)

    await expect(opening(server.url)).rejects.toThrow('it does not accept the credentials in NATS_URL.')
    await expect(opening(`${server.url}?creds=${file}.not`)).rejects.toThrow('cannot be read')
    const bus = await opening(`${server.url}?creds=${file}`)

    await bus.publish([aBlock(1)])
    await bus.close()
  })

  it('is used with TLS if NATS_URL says so, and only if its certificate is trusted', async () => {
    const folder = aFolder()
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=nats', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    execFileSync('openssl', ['req', ...kind, '-keyout', key, '-out', certificate, ...subject], {
      stdio: 'ignore',
    })
    const server = await start(`tls { cert_file: "${certificate}", key_file: "${key}" }`)
    const url = `tls://localhost:${server.port}`

    await expect(opening(url)).rejects.toThrow(`Pairwire cannot reach NATS at localhost:${server.port}: `)
    const bus = await opening(`${url}?ca=${certificate}`)

    await bus.publish([aBlock(1)])
    await bus.close()
  })

  it('is not used without TLS if NATS_URL requires it', async () => {
    const server = await start()

    await expect(opening(server.url.replace('nats:', 'tls:'))).rejects.toThrow('Pairwire cannot reach NATS')
  })

  it('is down, and reported by its JetStream, when that answers nothing on open connections', async () => {
    const login = (permissions = '') => `authorization { users: [{ user: u, password: p ${permissions} }] }`
    const server = await start(login())
    const said: string[] = []
    const bus = await opening(server.url.replace('//', '//u:p@'), 1_000_000, said)
    expect(bus.isUp()).toBe(true)
    const file = join(server.folder, 'nats.conf')
    const conf = readFileSync(file, 'utf8')
    const reload = (text: string) => {
      writeFileSync(file, text)
      process.kill(server.pid(), 'SIGHUP')
    }

    reload(conf.replace(login(), login(', permissions: { publish: { deny: "$JS.API.>" } }')))
    await expect.poll(() => said.join()).toContain('JetStream does not answer, although NATS at')
    await expect.poll(bus.isUp).toBe(false)
    reload(conf)
    await expect.poll(bus.isUp).toBe(true)

    expect(said.filter((line) => line.startsWith('JetStream'))).toHaveLength(2)
    await bus.close()
  })

  it('is reported at the start by its version if that is older than deploy/nats.conf requires', async () => {
    const server = await start()
    const said: string[] = []
    await (await opening(server.url, 1_000_000, said)).close()
    const [, major, minor, patch] = /v(\d+)\.(\d+)\.(\d+)/.exec(
      execFileSync('nats-server', ['--version'], { encoding: 'utf8' }),
    )!
    const isOld = Number(major) * 1e6 + Number(minor) * 1e3 + Number(patch) < 2_010_023

    const sentence = expect.stringContaining(` is version ${major}.${minor}.${patch}; use 2.10.23 or newer.`)
    expect(said).toEqual(isOld ? [sentence] : [])
  })

  it('stops the start with a sentence if its messages or its disk are too small', async () => {
    const small = await start('max_payload: 2KB')
    await expect(opening(small.url)).rejects.toThrow('its max_payload is 2048 bytes; set it to 8192 or more.')

    const full = await start('')
    await expect(opening(full.url, Number.MAX_SAFE_INTEGER)).rejects.toThrow('raise its max_file_store')
  })
})

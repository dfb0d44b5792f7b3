import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PARTS as API } from '../apps/api/src/config.ts'
import { PARTS as ARCHIVER } from '../apps/archiver/src/config.ts'
import { PARTS as GATEWAY } from '../apps/gateway/src/config.ts'
import { PARTS as INGEST } from '../apps/ingest/src/config.ts'
import { PARTS as WHOLE } from '../apps/standalone/src/config.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** What the image settles for every part. */
const IMAGE = [...read('Dockerfile').matchAll(/\b([A-Z_]+)=\S+/g)].map(([, name]) => name!)

/** The services of a file of Compose. */
function servicesOf(file: string) {
  const { services } = parse(read(file), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string>; volumes?: string[] }>
  }
  return services
}

/** Names that stand in a file of Compose, by service. */
function settingsOf(file: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(servicesOf(file)).map(([name, { environment = {} }]) => [name, Object.keys(environment)]),
  )
}

/** The sole reader of the chain has its token; PUBLIC_URL is https here. */
const NOT_FOR_ALL = ['SOLANA_SOURCE_TOKEN', 'SOLANA_RPC_URL']
const NOT_WANTED = ['ALLOW_INSECURE']

it('the image has the tool as pairwire, the same program as its parts', () => {
  const tool = /exec node (\S+) "\$@"/.exec(read('pairwire'))?.[1]

  expect(read('Dockerfile')).toContain('COPY --chmod=755 deploy/pairwire /usr/local/bin/pairwire')
  expect(read('Dockerfile')).toMatch(new RegExp(`^ENTRYPOINT .*"${tool?.replace('/app/', '')}"\\]$`, 'm'))
})

// Guards an operator's settings: what Compose does not pass has no effect, and nobody hears of it.
describe('every setting that a part reads', () => {
  it.each([
    ['compose.yaml', 'ingest-1', INGEST, []],
    ['compose.yaml', 'ingest-2', INGEST, []],
    ['compose.yaml', 'gateway-1', GATEWAY, NOT_FOR_ALL],
    ['compose.yaml', 'gateway-3', GATEWAY, NOT_FOR_ALL],
    ['compose.yaml', 'api', API, NOT_FOR_ALL],
    ['compose.yaml', 'archiver', ARCHIVER, NOT_FOR_ALL],
    ['one-machine/compose.yaml', 'pairwire', WHOLE, []],
  ])('is passed by deploy/%s to %s', (file, service, parts, others) => {
    const wanted = new Set(parts.flatMap(({ names }) => [...names] as string[]))
    for (const name of [...IMAGE, ...others, ...NOT_WANTED]) wanted.delete(name)

    const given = settingsOf(file)[service]!

    expect([...wanted].filter((name) => !given.includes(name))).toEqual([])
    expect(wanted.size).toBeGreaterThan(5)
  })

  it('names folders of the image, each a volume of the service that reads it', () => {
    for (const file of ['compose.yaml', 'one-machine/compose.yaml']) {
      for (const [name, { environment = {}, volumes = [] }] of Object.entries(servicesOf(file))) {
        for (const setting of ['BACKUP_DIR', 'BRAND_DIR']) {
          const folder = environment[setting]
          if (folder) expect(volumes.join(), `${file} ${name}`).toContain(`:${folder}`)
        }
      }
    }
    expect(servicesOf('compose.yaml')['gateway-2']!.environment).toHaveProperty('BRAND_DIR')
  })

  it('and no secret besides', () => {
    const { 'ingest-1': ingest, 'gateway-1': gateway, archiver } = settingsOf('compose.yaml')

    expect([...ingest!, ...archiver!]).not.toContain('DATABASE_URL')
    for (const name of [...ingest!, ...gateway!, ...archiver!])
      expect(name).not.toMatch(/^(SMTP|PADDLE|SESSION|RECAPTCHA)_/)
    expect(ingest!.filter((name) => /SECRET/.test(name))).toEqual([])
    expect(gateway).not.toContain('SOLANA_SOURCE_TOKEN')
  })
})

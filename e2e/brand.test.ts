import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import WebSocket from 'ws'
import { chromePath } from './browser.ts'
import { test } from './browser-test.ts'
import { call, signIn } from './buyers.ts'
import { makeAccount } from './operator.ts'
import { freshEmail, signInNew } from './people.ts'
import { root, type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><path d="M0 0h9v9z"/></svg>'

const FILES = {
  'brand.json': '{"name":"Acme & Co","accent":"#0A58CA","accentDark":"#6EA8FE"}',
  'logo.svg': SVG,
  'imprint.md': '# Imprint\n\nAcme & Co, <b>1 Main Street</b>.\n\n## Register\n\nHRB 1.\n',
  'terms.md': 'What you agree to.\n',
  'plans.json':
    '{"1":{"name":"Small","usdPerMonth":9,"connections":2},"3":{"usdPerMonth":499},"trialDays":0}',
}

/** What keeps our name: the SDK and its files and settings, the tool, the names of metrics. */
const IDENTIFIERS =
  /@pairwire\/client|pairwire-client|\/sdk\/pairwire[\w.-]*|PAIRWIRE_(?:URL|KEY)|pairwire_\w+|createPairwire|Pairwire(?:Error|Options)\b|pairwire(?= = createPairwire|\.\w)|from pairwire import .*|Pairwire\(\) as pairwire|pairwireLoginToken/g

const folder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-brand-'))
let service: Service

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  service = await startService({ BRAND_DIR: folder, SUPPORT_EMAIL: 'help@acme.example' })
})
afterAll(async () => {
  await service?.kill()
  rmSync(folder, { recursive: true })
})

/** Head and body of an answer, without the names that stay. */
async function read(path: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(new URL(path, service.url), { redirect: 'manual', ...init })
  const type = answer.headers.get('content-type') ?? ''
  const body = /image\/(?!svg)|font|zip/.test(type) ? '' : await answer.text()
  return `${JSON.stringify([...answer.headers])}\n${body}`
}

/** The lines of a text with our name in them. */
const namingUs = (text: string) =>
  text
    .replace(IDENTIFIERS, '')
    .split('\n')
    .flatMap((line) => line.match(/.{0,60}pairwire.{0,60}/gi) ?? [])

describe('a service under another name', { timeout: STORY_MS }, () => {
  test('is called by it on every page, file, error and mail that a customer can get, and by ours nowhere but in identifiers', async () => {
    const scripts = readdirSync(join(root, 'apps/web/dist/assets')).filter((name) => /\.(js|css)$/.test(name))
    const waiting = [
      '/',
      '/dashboard/login',
      '/404',
      '/docs',
      '/status',
      '/llms.txt',
      '/robots.txt',
      '/brand/mark.svg',
    ]
    waiting.push('/docs/llms-full.txt', '/docs/openapi.json', '/docs/asyncapi.json', '/docs/search.json')
    waiting.push(
      '/frame/code-examples?key=none',
      '/api/config',
      '/api/systemstatus',
      '/api/account',
      '/api/no',
      '/order/1',
    )
    waiting.push('/healthz', '/readyz', '/docs/self-hosting', ...scripts.map((name) => `/assets/${name}`))
    const seen = new Set(waiting)
    const found: Record<string, string[]> = {}
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const text = await read(path)
      const ours = namingUs(text)
      if (ours.length > 0) found[path] = ours
      for (const [, link = ''] of text.matchAll(/(?:href|src)="(\/[^"#]*)|"location","(\/[^"#]*)/g)) {
        if (link === '' || seen.has(link) || /^\/(sdk|logout|dashboard)/.test(link)) continue
        seen.add(link)
        waiting.push(link)
        if (/^\/docs\/[\w/-]+$/.test(link)) waiting.push(`${link}.md`)
      }
    }
    expect(found).toEqual({})
    expect(seen.size).toBeGreaterThan(100)
    expect(seen).toContain('/docs/imprint')
    expect((await fetch(`${service.url}/card.png`)).status).toBe(404)
  })

  test('has its name, logo, colours and icon in the first HTML, and no picture for previews', async () => {
    const [page, status] = [await read('/dashboard/login'), await read('/status')]

    expect(page).toContain('<title>Acme &amp; Co</title>')
    expect(status).toContain('<title>System Status · Acme &amp; Co</title>')
    for (const text of [page, status]) {
      expect(text).toContain('<img src="/brand/logo.svg" width="78" height="26" alt="Acme &amp; Co">')
      expect(text).toContain('<link rel="stylesheet" href="/brand/look.css">')
      expect(text).toMatch(/<link rel="icon"[^>]* href="\/brand\/mark.svg"/)
      expect(text).not.toContain('og:image')
    }
    expect(await read('/admin')).toMatch(/id="brand">\{"name":"Acme & Co","mark":"\\u003csvg .*"Small"/)
    expect(status).toContain('<a href="/docs/imprint">Imprint</a>')
    expect(await read('/brand/look.css')).toContain('--ink:light-dark(#0A58CA,#6EA8FE)')
    const logo = await fetch(`${service.url}/brand/logo.svg`)
    expect(logo.headers.get('content-type')).toBe('image/svg+xml')
    expect(logo.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('draws its legal texts without their HTML, and hides how to host it', async () => {
    const imprint = await read('/docs/imprint')
    expect(imprint).toContain('Acme &amp; Co, &lt;b&gt;1 Main Street&lt;/b&gt;.')
    expect(imprint).toContain('Register</a></h2>')
    expect(await read('/docs/terms')).toContain('What you agree to.')
    expect(await read('/docs')).not.toContain('Self-hosting')
    expect((await fetch(`${service.url}/docs/self-hosting`, { redirect: 'manual' })).status).toBe(302)
  })

  test('shows, enforces and documents its figures of plans, and offers no trial where there is none', async () => {
    const { user, activeSubscription } = await makeAccount(service, freshEmail(), 'newpairs')
    const session = await signIn(service.url, user.Email)
    expect(activeSubscription).toMatchObject({ planName: 'Small', connectionLimit: 2 })
    expect(await call(service.url, 'GET', '/api/account', session)).toMatchObject({ hasHadFreeTrial: true })
    expect(await call(service.url, 'POST', '/api/subscription/starttrial', session, { plan_id: 1 })).toEqual({
      errorType: 'TRIAL_USED',
      errorMessage: 'There is no free trial.',
    })
    expect(await call(service.url, 'GET', '/api/config', '')).toMatchObject({
      ...{ name: 'Acme & Co', documents: ['imprint'], trialDays: 0 },
      plans: [
        { name: 'Small', usdPerMonth: 9, swapFilterAccounts: 1 },
        { usdPerMonth: 79 },
        { usdPerMonth: 499 },
      ],
    })
    expect(await read('/docs/limits.md')).toMatch(/\| Small \| \$9\/month \|.*\| 2 \|/)
    for (const path of ['/docs.md', '/docs/limits.md', '/docs/http-api.md', '/docs/privacy.md'])
      expect(await read(path)).not.toContain('free trial')

    const streams = await Promise.all([1, 2, 3].map(() => openStream(user.APIKey)))
    expect(streams.map(({ status }) => status).sort()).toEqual([101, 101, 429])
    for (const { socket } of streams) socket.terminate()
  })

  test('signs its mails with its name', async () => {
    const { user } = await makeAccount(service, freshEmail())
    await signIn(service.url, user.Email)
    const mails = (await (await fetch(`${service.url}/dev/mail.json`)).json()) as {
      to: string
      subject: string
    }[]

    expect(mails.find(({ to }) => to === user.Email)?.subject).toBe('Your Acme & Co login link')
    expect(namingUs(JSON.stringify(mails))).toEqual([])
  })

  test.skipIf(!chromePath)(
    'is met under its name, prices and colours in dashboard and room',
    async ({ open }) => {
      const page = await open()
      await signInNew(page, service)
      await page.goto(`${service.url}/dashboard/upgrade`)
      const small = page.getByRole('region', { name: 'Small', exact: true })
      await small.waitFor()

      expect(await page.title()).toBe('Choose a plan · Acme & Co')
      expect(await page.locator('.topbar .brand img').getAttribute('alt')).toBe('Acme & Co')
      expect(await small.innerText()).toMatch(/\$9\s*\/month[\s\S]*2 connections/)
      const main = await page.locator('main').innerText()
      expect(main).toMatch(/\$499\s*\/month/)
      expect(main).not.toMatch(/trial/i)
      await page.goto(`${service.url}/admin`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      const ink = await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')")
      expect(ink).toBe('light-dark(#0A58CA,#6EA8FE)')
    },
  )
})

/** Opens a stream; the status with which it was answered. */
function openStream(key: string): Promise<{ status: number; socket: WebSocket }> {
  const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': key } })
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.on('open', () => resolve({ status: 101, socket }))
    socket.on('unexpected-response', (_request, { statusCode = 0 }) =>
      resolve({ status: statusCode, socket }),
    )
  })
}

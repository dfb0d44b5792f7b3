import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { CLOSE_REASONS, PLANS, RequestMethodName, STREAM_ERROR_TYPES } from '@pairwire/contract'
import { PAIRWIRE } from '@pairwire/process/brand'
import { describe, expect, it } from 'vitest'
import { drawDocs } from '../pages/docs/draw-docs.ts'
import type { SearchEntry } from '../pages/docs/search-index.ts'
import { ERROR_PAGES } from '../pages/error-pages.ts'
import { Html, textOf } from '../pages/html.ts'
import { theApp } from '../testing/api-under-test.ts'

const settings = {
  streamUrl: 'ws://localhost:23000/',
  publicUrl: 'http://localhost:23000',
  supportEmail: 'a@b.c',
  brand: PAIRWIRE,
  pagesRoot: fileURLToPath(new URL('../../public', import.meta.url)),
  docsRoot: fileURLToPath(new URL('../../../../docs/site', import.meta.url)),
}
const DOCS = drawDocs(settings).pages
const PAGES = DOCS.map(({ path }) => path)

/** Letters and digits alone, so that text compares with its markup in another language. */
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '')

describe('the docs', () => {
  it.each(PAGES)(
    'are at %s, with title and description, and nothing that the policy forbids',
    async (url) => {
      const app = await theApp()

      const answer = await app.inject(url)

      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.payload).toContain('<a href="/docs/self-hosting#live">Data is simulated.</a>')
      expect(answer.payload).toContain('<html lang="en-GB">')
      expect(answer.payload.match(/<h1/g)).toHaveLength(1)
      expect(answer.payload.match(/<title>[^<]+ · Pairwire<\/title>/g)).toHaveLength(1)
      expect(answer.payload).toMatch(/<meta name="description" content="[^"]{20,}">/)
      expect(answer.payload).toContain(`<link rel="canonical" href="http://localhost:23000${url}">`)
      expect(answer.payload).not.toMatch(/<script>|<style|<[^>]* (style|on\w+)=/)
      const ids = [...answer.payload.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  it('name every code, every plan and this deployment’s stream', async () => {
    const app = await theApp()

    const [start, errors, limits] = await Promise.all(
      ['/docs', '/docs/errors', '/docs/limits'].map(async (url) => (await app.inject(url)).payload),
    )

    expect(start).toContain('ws://localhost:23000/')
    for (const code of Object.values(STREAM_ERROR_TYPES)) expect(errors).toContain(`<code>${code}</code>`)
    for (const { code } of Object.values(CLOSE_REASONS)) expect(errors).toContain(`<code>${code}</code>`)
    for (const plan of PLANS) expect(limits).toContain(`$${plan.usdPerMonth}/month`)
  })

  it('have a page for every error', async () => {
    const app = await theApp()

    for (const { name, title } of ERROR_PAGES) {
      const answer = await app.inject(`/docs/errors/${name}`)
      expect(answer.statusCode, name).toBe(200)
      expect(answer.payload).toContain(`<h1>${title}</h1>`)
    }
    const close = await app.inject('/docs/errors/idle')
    expect(close.payload).toContain('<dt>Reconnect automatically?</dt>')
    expect(close.payload).toContain('Your client sent nothing for 60 s.')
  })

  it('lead from other spellings of an error to its page', async () => {
    const app = await theApp()

    const answer = await app.inject('/docs/errors/KEY_UNKNOWN')

    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('/docs/errors/key-unknown')
  })

  it('link only to pages, parts and files that exist', async () => {
    const app = await theApp()
    const links = new Set<string>()
    for (const page of [...PAGES, '/status', '/llms.txt']) {
      const { payload } = await app.inject(page)
      for (const [, link] of payload.matchAll(/(?:href|src)="(\/[^"]*)/g)) links.add(link!)
      for (const [, link] of payload.matchAll(/href="(#[^"]+)/g)) links.add(page + link!)
      for (const [, link] of payload.matchAll(/\]\(http:\/\/localhost:23000(\/[^)]*)/g)) links.add(link!)
    }

    for (const link of links) {
      const [path, part] = link.split('#')
      const answer = await app.inject(path!)
      expect(answer.statusCode, link).toBe(200)
      if (part && part !== 'main') expect(answer.payload, link).toContain(` id="${part}"`)
    }
    expect(links.size).toBeGreaterThan(100)
  })

  it('pass every request to the console as a whole frame, for its editor', async () => {
    const app = await theApp()
    const requests: unknown[] = []
    for (const page of PAGES) {
      const { payload } = await app.inject(page)
      for (const [, request] of payload.matchAll(/href="\/dashboard\/console\?request=([^"]*)/g)) {
        requests.push(JSON.parse(decodeURIComponent(request!)))
      }
    }

    for (const request of requests) {
      expect(request).toMatchObject({ jsonrpc: '2.0', id: expect.anything() })
      expect(RequestMethodName.options).toContain((request as { method: string }).method)
    }
    expect(requests.length).toBeGreaterThan(8)
  })

  it.each([
    ['/docs/new-tokens', '/docs/guides/new-tokens'],
    ['/docs/token-pricing', '/docs/guides/token-pricing'],
  ])('lead from the old address %s to %s', async (from, to) => {
    const app = await theApp()

    expect((await app.inject(from)).headers.location).toBe(to)
  })

  it.each(['new-pairs', 'swaps', 'latest-block'])(
    'of %s name one subscription throughout: in answer, events, change and end',
    async (page) => {
      const { payload } = await (await theApp()).inject(`/docs/${page}.md`)

      expect(new Set(payload.match(/(?<="subscription_id": ?)\d+/g)).size).toBe(1)
    },
  )

  it('can be searched by words of any page, error and part', async () => {
    const app = await theApp()

    const entries: SearchEntry[] = (await app.inject('/docs/search.json')).json()

    const paths = new Set(entries.map(({ url }) => url.split('#')[0]))
    expect([...paths].sort()).toEqual([...PAGES].sort())
    expect(entries.find(({ url }) => url === '/docs/swaps#fields')?.text).toContain('quotePrice')
    expect(entries.every(({ text }) => !text.includes('</') && !text.includes('&amp;'))).toBe(true)
  })

  it('have twins in Markdown, at separate addresses and by content negotiation', async () => {
    const app = await theApp()

    for (const { path, title, sections } of DOCS) {
      const twin = await app.inject(`${path}.md`)
      const asked = await app.inject({ url: path, headers: { accept: 'text/markdown, */*' } })
      const page = await app.inject(path)

      expect(twin.headers['content-type']).toBe('text/markdown; charset=utf-8')
      expect(twin.headers.link).toBe(`<${path}>; rel="alternate"; type="text/html"`)
      expect(twin.payload).toMatch(new RegExp(`^# ${title}\n\n> `))
      for (const { heading, id } of sections) expect(twin.payload).toContain(`\n## ${heading} {#${id}}\n`)
      expect(twin.payload, path).not.toContain('{{')
      expect(asked.payload).toBe(twin.payload)
      expect(page.headers.link).toBe(`<${path}.md>; rel="alternate"; type="text/markdown"`)
      expect(page.headers.vary).toBe('accept, accept-encoding')
    }
  })

  it.each(DOCS.map(({ path, main, markdown }) => ({ path, main, markdown })))(
    'have in the twin of $path all headings, tables, code and links of the page',
    ({ main, markdown }) => {
      const [article = ''] = /<article>[\s\S]*?(?:<nav class="doc-next"|<\/article>)/.exec(main.text) ?? []
      const parts = [...article.matchAll(/<(h1|h2|h3|td|th|dt|dd|pre)\b[^>]*>([\s\S]*?)<\/\1>/g)]
      const links = [...article.matchAll(/<a href="([^"#]+)/g)].map(([, link]) => link!)
      const twin = lettersOf(markdown.replace(/\]\([^)]*\)/g, ']'))

      expect(parts.length).toBeGreaterThan(0)
      for (const [, , part] of parts) expect(twin).toContain(lettersOf(textOf(new Html(part!))))
      for (const link of links) expect(markdown).toContain(link)
    },
  )

  it.each(['/docs/swaps', '/docs/swaps.md', '/docs/llms.txt', '/docs/llms-full.txt'])(
    'cost a browser that has %s already no body, until it changes',
    async (url) => {
      const app = await theApp()

      const first = await app.inject(url)
      const tag = String(first.headers.etag)
      const [again, other] = await Promise.all(
        [tag, '"other"'].map((known) => app.inject({ url, headers: { 'if-none-match': known } })),
      )

      expect([again!.statusCode, again!.payload]).toEqual([304, ''])
      expect([other!.statusCode, other!.payload]).toEqual([200, first.payload])
    },
  )

  it('are in one file for language models, of 150 kB at most', async () => {
    const app = await theApp()

    const { payload } = await app.inject('/docs/llms-full.txt')

    for (const { title, isUnlisted } of DOCS) expect(payload.includes(`# ${title}\n`)).toBe(!isUnlisted)
    expect(payload).toContain('"usdValue": 3597.116737')
    expect(payload.length).toBeLessThan(150_000)
  })

  it('have advice only for errors of the contract', () => {
    const advice = readFileSync(`${settings.docsRoot}/parts/errors.md`, 'utf8')

    const titles = [...advice.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    expect(titles.sort()).toEqual(ERROR_PAGES.map(({ title }) => title).sort())
  })

  it('are sent compressed to clients that accept it', async () => {
    const app = await theApp()

    const [plain, small] = await Promise.all(
      ['identity', 'gzip, br'].map((encoding) =>
        app.inject({ url: '/docs/swaps', headers: { 'accept-encoding': encoding } }),
      ),
    )

    expect(small!.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(small!.rawPayload).toString()).toBe(plain!.payload)
    expect(small!.rawPayload.length).toBeLessThan(plain!.rawPayload.length / 3)
  })

  it.each(['/docs', '/status', '/docs/nowhere', '/dev/mail', '/frame/code-examples?key=none'])(
    'use the dashboard’s style sheet, which browsers cache for both: %s',
    async (url) => {
      const app = await theApp()

      const page = await app.inject({ url, headers: { accept: 'text/html' } })
      const links = [...page.payload.matchAll(/<link rel="[^"]*"[^>]* href="(\/assets\/[^"]+)"/g)]
      const answers = await Promise.all(links.map(([, href = '']) => app.inject(href)))

      expect(answers.map(({ headers }) => headers['content-type'])).toEqual([
        'font/woff2',
        'text/css; charset=utf-8',
      ])
      for (const answer of answers)
        expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    },
  )
})

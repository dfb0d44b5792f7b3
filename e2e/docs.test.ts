import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { describe, expect, inject } from 'vitest'
import WebSocket from 'ws'
import {
  chromePath,
  expectClean,
  expectCleanInBothThemes,
  overlappingTexts,
  setLetters,
  widthAtDoubleLetters,
} from './browser.ts'
import { test } from './browser-test.ts'
import { makeAccount } from './operator.ts'
import { freshEmail, signInNew } from './people.ts'
import { STORY_MS } from './story-time.ts'

const url = inject('serviceUrl')
const service = { url, dataFolder: inject('dataFolder') }

describe('refusals of the running service', { timeout: STORY_MS }, () => {
  const pageOf = async (link: string) => {
    const answer = await fetch(link)
    return { status: answer.status, text: await answer.text() }
  }

  test('link to their page from a refused upgrade', async () => {
    const upgrade = request(`${url}/?key=${'0'.repeat(32)}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    })
    upgrade.end()
    const [refusal] = (await once(upgrade, 'response')) as [IncomingMessage]
    refusal.resume()

    const page = await pageOf(/^<([^>]+)>; rel="help"$/.exec(String(refusal.headers.link))![1]!)

    expect(refusal.statusCode).toBe(401)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Key unknown</h1>') })
  })

  test('link to their page from an answer of the stream', async () => {
    const account = await makeAccount(service, freshEmail(), 'pro')
    const socket = new WebSocket(inject('streamUrl'), { headers: { 'x-api-key': account.user.APIKey } })
    await once(socket, 'open')

    socket.send('{"id":1,"method":"swapSubscribe","params":{"include":{"walletAccount":[]}}}')
    const [frame] = await once(socket, 'message')
    socket.terminate()

    const page = await pageOf(JSON.parse(String(frame)).error.data.docs)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<h1>EMPTY_LIST</h1>') })
  })
})

describe.skipIf(!chromePath)('the pages beside the docs', { timeout: STORY_MS }, () => {
  test('are accessible in both themes and never scroll sideways: the mailbox, a bad key, a missing page', async ({
    open,
  }) => {
    const page = await open()
    await signInNew(page, service)
    for (const [path, words] of [
      ['/dev/mail', 'Open login link'],
      ['/dev/mail?to=nobody', 'No emails yet. Request a login link.'],
      [
        '/frame/code-examples?key=nonsense',
        'This key is not valid. Reload the page after you reset the key.',
      ],
      ['/docs/nothing', 'Page not found'],
    ] as const) {
      await page.goto(url + path)
      await page.getByText(words).first().waitFor()
      await expectCleanInBothThemes(page)
      for (const width of [320, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await page.evaluate('document.scrollingElement.scrollWidth'), path).toBe(width)
        expect(await widthAtDoubleLetters(page), `${path}, letters of 200 %`).toBe(width)
      }
    }
  })
})

const PAGES = [
  '/docs',
  '/docs/keys',
  '/docs/new-pairs',
  '/docs/swaps',
  '/docs/latest-block',
  '/docs/messages',
  '/docs/cursors',
  '/docs/history',
  '/docs/sdk',
  '/docs/errors',
  '/docs/errors/connection-limit',
  '/docs/limits',
  '/docs/http-api',
  '/docs/self-hosting',
  '/docs/guides/new-tokens',
  '/docs/guides/token-pricing',
  '/docs/terms',
]

describe.skipIf(!chromePath)('the docs, signed out', { timeout: STORY_MS }, () => {
  test('are accessible, light and dark, and never scroll sideways at 320 px, nor with letters twice as large, which stay apart in code and whole in the top bar', async ({
    open,
  }) => {
    const page = await open()

    for (const path of PAGES) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(url + path)
      await expectCleanInBothThemes(page)
      await page.setViewportSize({ width: 320, height: 700 })
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(beyond, path).toBeLessThanOrEqual(0)
      expect(await widthAtDoubleLetters(page), `${path}, letters of 200 %`).toBe(320)
      await setLetters(page, '200%')
      for (const code of (await page.locator('pre').all()).slice(0, 2)) {
        expect(await overlappingTexts(code), `code of ${path}`).toEqual([])
      }
      const bar = page.getByRole('banner')
      expect(await bar.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
    }
  })

  test('of the SDK are accessible on a phone too, and each of their links and files is there', async ({
    open,
  }) => {
    const page = await open({ width: 390, height: 844 })
    await page.goto(`${url}/docs/sdk`)
    await expectCleanInBothThemes(page)

    const links = await page
      .locator('a')
      .evaluateAll((all) => (all as HTMLAnchorElement[]).map(({ href }) => href))
    const files = (await page.locator('body').innerText()).match(/https?:\S+\/sdk(\/\w[\w.-]*\w)?/g) ?? []
    const addresses = [...new Set([...links.filter((link) => link.startsWith(url)), ...files])]
    const answers = await Promise.all(addresses.map((address) => fetch(address)))
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))

    expect(answers.filter(({ status }) => status !== 200).map((answer) => answer.url)).toEqual([])
    expect(files.map((file) => file.slice(url.length))).toEqual(
      expect.arrayContaining(['/sdk/pairwire-client.tgz', '/sdk/pairwire.js', '/sdk/pairwire.py', '/sdk']),
    )
    const own = links.filter((link) => link.startsWith(`${url}/docs/sdk#`)).map((link) => link.split('#')[1])
    expect(own.filter((id) => !ids.includes(id!))).toEqual([])
  })

  test('show a table as blocks on a phone, which stays a table', async ({ open }) => {
    const page = await open({ width: 390, height: 844 })
    await page.goto(`${url}/docs/errors`)
    const table = page.getByRole('table').first()
    const row = table.getByRole('row').nth(1)

    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Code',
      'errorType',
      'What happened',
    ])
    expect(await row.getByRole('cell').count()).toBe(3)
    const region = page.getByRole('region', { name: 'Code, errorType, What happened' })
    expect(await region.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await expectClean(page)
  })

  test('have three columns from 1200 px: contents, text, code', async ({ open }) => {
    const page = await open({ width: 1200 })
    await page.goto(`${url}/docs/swaps`)

    const lefts = await Promise.all(
      ['.docs-contents', '.doc-head .doc-text', '.doc-head .doc-code'].map(
        async (column) => (await page.locator(column).boundingBox())!.x,
      ),
    )

    expect(lefts).toEqual([...lefts].sort((left, right) => left - right))
    expect(new Set(lefts).size).toBe(3)
  })

  test('remember the language of the code across pages', async ({ open }) => {
    const page = await open()
    await page.goto(`${url}/docs`)

    await page.getByRole('tab', { name: 'Node' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.goto(`${url}/docs/swaps`)

    expect(await page.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected')).toBe('true')
    await page.getByText('asyncio.run(main())').waitFor()
    // A transparent line would be drawn in the user's own colours.
    const lines = page
      .getByRole('tablist')
      .first()
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.filter((tab) => getComputedStyle(tab).borderBlockEndWidth !== '0px').length)
    expect(await lines).toBe(1)
    expect(page.faults).toEqual([])
  })

  test('link a field under the pointer to its place in the frame and in the row', async ({ open }) => {
    const page = await open()
    await page.goto(`${url}/docs/swaps`)

    await page.locator('.fields [data-field="params.swap.usdValue"]').hover()

    const marked = page.locator('.is-marked')
    expect(await marked.count()).toBe(4)
    expect(await page.locator('.event-row .is-marked').textContent()).toBe('$3,597.12')
  })

  test('say so when the search does not load', async ({ open }) => {
    const page = await open()
    await page.route(/\/docs-search[^/]*\.js$/, (route) => route.abort('connectionrefused'))
    await page.goto(`${url}/docs`)
    await page.keyboard.press('/')
    await page.keyboard.type('cursor')

    await page.getByText('The search does not answer.').waitFor()
  })

  test('can be searched with the keyboard, and Copy puts exactly the text, or the page as Markdown, on the clipboard', async ({
    open,
  }) => {
    const page = await open()
    await page.goto(`${url}/docs/latest-block`)

    await page.getByRole('button', { name: 'Copy', exact: true }).nth(1).click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).last().waitFor()
    const twin = await (await fetch(`${url}/docs/latest-block.md`)).text()
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(twin)
    await page.keyboard.press('/')
    await page.keyboard.type('slow consumer')
    await page.locator('#docs-found a').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Slow consumer' }).waitFor()
    expect(JSON.parse(copied)).toEqual({ jsonrpc: '2.0', id: 3, method: 'latestBlockSubscribe' })
    expect(page.faults).toEqual([])
  })
})

describe.skipIf(!chromePath)('the docs and the frame, signed in', { timeout: STORY_MS }, () => {
  test('Open in console fills the editor and does not start', async ({ open }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    let sockets = 0
    page.on('websocket', () => sockets++)

    await page.goto(`${url}/docs/swaps`)
    await page.getByRole('link', { name: 'Open in console' }).first().click()
    const editor = page.getByLabel('Subscription request')
    await editor.waitFor()

    await expect.poll(() => editor.inputValue()).toContain('"baseTokenMint"')
    expect(JSON.parse(await editor.inputValue())).toMatchObject({ jsonrpc: '2.0', method: 'swapSubscribe' })
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    expect(sockets).toBe(0)
    await expectClean(page)
  })

  test('Open in console shows the request on a phone too, in its drawer', async ({ open }) => {
    const page = await open({ width: 390, height: 800 })
    await signInNew(page, service)

    await page.goto(`${url}/docs/latest-block`)
    await page.getByRole('link', { name: 'Open in console' }).first().click()
    const editor = page.getByRole('dialog', { name: 'Request' }).getByLabel('Subscription request')
    await editor.waitFor()

    expect(await editor.inputValue()).toContain('latestBlockSubscribe')
    await expectClean(page)
  })

  test('the quick start contains the user’s key, masked until Show', async ({ open }) => {
    const page = await open()
    await signInNew(page, service)

    await page.goto(`${url}/docs`)
    const place = page.locator('#own-key')
    await expect.poll(() => place.textContent()).toBe('•'.repeat(32))
    await page.getByRole('button', { name: 'Show' }).click()

    expect(await place.textContent()).toMatch(/^[0-9a-f]{32}$/)
  })

  test('the account page embeds the code examples, 600 px high, with email and joined date', async ({
    open,
  }) => {
    const page = await open()
    const { Email: email } = await signInNew(page, service)

    const embedded = page.locator('iframe[title="Code examples"]')
    await embedded.scrollIntoViewIfNeeded()
    const frame = embedded.contentFrame()

    await frame.getByText(email).waitFor()
    await frame.getByText(/^Joined \d+ \w+ \d{4}$/).waitFor()
    expect((await embedded.boundingBox())?.height).toBe(600)
    expect(await embedded.getAttribute('src')).toMatch(/^\/frame\/code-examples\?key=[0-9a-f]{32}$/)
  })

  test('the frame shows the key only on request, in any language, and hides it again', async ({ open }) => {
    const page = await open({ width: 1142, height: 600 })
    const { APIKey: key } = await signInNew(page, service)
    await page.goto(`${url}/frame/code-examples?key=${key}`)
    const shown = () => page.locator('#code').innerText()

    for (const language of ['Node', 'Python', 'Go', 'Rust', 'wscat']) {
      await page.getByRole('tab', { name: language }).click()
      expect(await shown()).not.toContain(key)
      await page.getByRole('switch', { name: 'Insert my key' }).check()
      expect(await shown()).toContain(key)
      await page.getByRole('button', { name: 'Copy' }).click()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(key)
      await page.getByRole('switch', { name: 'Insert my key' }).uncheck()
      expect(await shown()).toContain('PAIRWIRE_KEY')
    }
    expect(await page.content()).not.toContain(key)
    await expectClean(page)
  })

  test('the frame is accessible in both themes and fits 320 px', async ({ open }) => {
    const page = await open({ width: 320, height: 600 })
    await signInNew(page, service)
    const source = await page.locator('iframe[title="Code examples"]').getAttribute('src')

    await page.goto(url + source)

    await page.getByRole('radio', { name: /Whale/ }).check()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    await expectCleanInBothThemes(page)
  })
})

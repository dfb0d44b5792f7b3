import { SIMULATED_NOTICE, splitSimulated } from '@pairwire/contract'
import type { Brand } from '@pairwire/process/brand'
import type { FastifyReply } from 'fastify'
import type { ApiParts } from '../parts.ts'
import { composeSystemStatus } from '../system-status.ts'
import { furtherTexts, iconOf, logoOf } from './brand/brand-look.ts'
import { createFile, sendCompressed } from './compressed.ts'
import { type Html, html } from './html.ts'
import { readLook } from './look.ts'

/** A page that the server draws itself. */
type Page = Readonly<{
  title: string
  /** One sentence for search engines and link previews. */
  description?: string
  /** Its own path, for the canonical address; omitted by pages without a place of their own. */
  path?: string
  /** Path of the item to mark as current in the top bar. */
  current?: string
  main: Html
  /** Names of scripts in `public`, run after the page is parsed. */
  scripts?: readonly string[]
  /** Names of style sheets in `public`, in addition to those of every page. */
  styles?: readonly string[]
  /** Whether the page takes the full width, as the docs do. */
  isWide?: boolean
  /** Overrides how long the page may be cached; by default browsers ask again each time. */
  cacheControl?: string
}>

/** Draws pages in the dashboard's look, without a script or style inside the page. */
export type Pages = Readonly<{
  send(reply: FastifyReply, page: Page): Promise<FastifyReply>
  /** Answers 404 like the dashboard's own page; `asked` is the path, if it may be repeated. */
  sendNotFound(reply: FastifyReply, asked?: string): Promise<FastifyReply>
}>

/** Reads the logo and the look once; the rest is made per answer, since the notice in the banner changes. */
export function createPages(
  parts: Pick<
    ApiParts,
    | 'notices'
    | 'sourceState'
    | 'simulated'
    | 'designRoot'
    | 'webRoot'
    | 'publicUrl'
    | 'statusUrl'
    | 'supportEmail'
    | 'links'
    | 'registration'
    | 'brand'
  >,
): Pages {
  const logo = logoOf(parts.brand, parts.designRoot)
  const look = readLook(parts.webRoot, parts.brand)

  const send: Pages['send'] = async (reply, page) => {
    const notice = firstNotice(parts)
    const text = draw(page, { logo, look, notice, ...parts }).text
    const type = 'text/html; charset=utf-8'
    if (page.cacheControl === undefined) return createFile(text, type)(reply)
    return sendCompressed(reply.type(type).header('cache-control', page.cacheControl), text)
  }
  return {
    send,
    sendNotFound: (reply, asked) => send(reply.code(404), { title: 'Page not found', main: notFound(asked) }),
  }
}

/** The dashboard's not-found page, `web/src/routes/not-found.tsx`, drawn here. */
function notFound(asked: string | undefined): Html {
  return html`<div class="not-found"><h1>Page not found</h1>
<svg class="not-found-cut" viewBox="0 0 420 96" aria-hidden="true"><path d="M0 48C40 8 80 8 120 48c18 18 32 27 50 29"/><path d="M250 19c18 2 32 11 50 29 40 40 80 40 120 0"/></svg>
<p class="second">${asked === undefined ? 'There is nothing at this address.' : html`There is nothing at <bdi class="address">${asked}</bdi>`}</p>
<p class="actions"><a class="btn btn-primary" href="/dashboard/account">Account</a> <a class="btn" href="/docs">Docs</a></p></div>`
}

/** For a person whose download is refused. */
export function noDownload(why: string): Page {
  const main = html`<div class="not-found"><h1>No download</h1><p class="second">${why}</p>
<p class="actions"><a class="btn btn-primary" href="/dashboard/historical/orders">Orders</a></p></div>`
  return { title: 'No download', main, cacheControl: 'no-store' }
}

/** The banner's text. */
function firstNotice(parts: Pick<ApiParts, 'notices' | 'sourceState' | 'simulated'>): string | undefined {
  return composeSystemStatus(parts.notices.standing(), parts.sourceState(), parts.simulated)[0]?.Details
}

function draw(
  page: Page,
  frame: Readonly<{
    logo: Html
    look: Html
    notice: string | undefined
    publicUrl: string
    statusUrl: string
    supportEmail: string
    links: ApiParts['links']
    brand: Brand
    registration: ApiParts['registration']
  }>,
): Html {
  const item = (path: string, label: string) =>
    html`<a class="topbar-link" href="${path}"${page.current === path && html` aria-current="page"`}>${label}</a>`

  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script src="/docs/assets/theme.js"></script>
<title>${page.title} · ${frame.brand.name}</title>
<meta name="description" content="${page.description ?? DESCRIPTION}">
${page.path !== undefined && html`<link rel="canonical" href="${frame.publicUrl}${page.path}">`}
<meta name="theme-color" content="#F5F4F0" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0D100F" media="(prefers-color-scheme: dark)">
<meta property="og:site_name" content="${frame.brand.name}">
<meta property="og:type" content="website">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description ?? DESCRIPTION}">
${page.path !== undefined && html`<meta property="og:url" content="${frame.publicUrl}${page.path}">`}
${
  !frame.brand.isOwn &&
  html`<meta property="og:image" content="${frame.publicUrl}/card.png">
`
}<link rel="icon" type="image/svg+xml" href="${iconOf(frame.brand)}">
${frame.look}
<link rel="stylesheet" href="/docs/assets/pages.css">
${(page.styles ?? []).map((name) => html`<link rel="stylesheet" href="/docs/assets/${name}">`)}
<script type="module" src="/docs/assets/theme-choice.js"></script>
${(page.scripts ?? []).map((name) => html`<script type="module" src="/docs/assets/${name}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="topbar">
<a class="brand" href="/dashboard">${frame.logo}</a>
<nav aria-label="Main"><a class="topbar-link for-session" href="/dashboard">Dashboard</a>${item('/docs', 'Docs')}${item(frame.statusUrl, 'System Status')}</nav>
${THEME_CHOICE}
<a class="topbar-link for-session" href="/logout">Sign Out</a>
<a class="btn for-visitor" href="/dashboard/login">Sign In</a>${frame.registration === 'open' && html`<a class="btn btn-primary for-visitor" href="/dashboard/register">Register</a>`}
</header>
<div class="wire"></div>
${frame.notice !== undefined && html`<section class="banner banner-info" aria-label="Notice">${INFO_ICON}<span class="banner-text">${noticeOf(frame.notice)}</span></section>`}
<main id="main" tabindex="-1"${page.isWide && html` class="wide-page"`}>
${page.main}
</main>
<footer>
<a href="/docs">Docs</a>
<a href="${frame.statusUrl}">System Status</a>
<a href="mailto:${frame.supportEmail}">${frame.supportEmail}</a>
<a href="${frame.links.discord}" rel="noopener">Discord</a>
<a href="${frame.links.github}" rel="noopener">Github</a>
<a href="${frame.links.x}" rel="noopener">X</a>
<a href="${frame.links.reddit}" rel="noopener">Reddit</a>
<a href="/docs/terms">Terms</a>
<a href="/docs/privacy">Privacy</a>
<a href="/docs/disclaimer">Disclaimer</a>${furtherTexts(frame.brand).map(
    (text) => html`
<a href="/docs/${text}">${text === 'imprint' ? 'Imprint' : 'Refunds'}</a>`,
  )}
</footer>
</body>
</html>
`
}

/** The banner's text; if the data is simulated, it links to how to go live. */
function noticeOf(text: string): Html {
  const [before, simulated] = splitSimulated(text)
  return html`${before}${simulated && html`<a href="${SIMULATED_NOTICE.path}">${simulated}</a>`}`
}

/** The description of a page without its own. */
const DESCRIPTION = 'Live Solana new pairs and swaps over a websocket.'

const INFO_ICON = html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.5v.5"/></svg>`

/** The choice of the colour theme; its script also shows it. */
const THEME_CHOICE = html`<div class="theme" hidden>
<button type="button" class="btn btn-ghost btn-square" aria-label="Colour theme" aria-expanded="false" aria-controls="themes"><svg class="icon" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true"><path d="M15 10.5A6.5 6.5 0 1 1 7.5 3a5 5 0 0 0 7.5 7.5z"/></svg></button>
<fieldset id="themes" class="theme-choices" hidden><legend class="unseen">Colour theme</legend>${[
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
].map(
  ([value, label]) =>
    html`<label class="theme-choice"><input type="radio" name="theme" value="${value}">${label}<svg class="icon theme-check" viewBox="0 0 18 18" width="15" height="15" aria-hidden="true"><path d="m3.5 9.5 3.5 3.5 7.5-8"/></svg></label>`,
)}</fieldset>
</div>`

import type { FastifyReply } from 'fastify'
import type { ApiParts } from '../parts.ts'
import { iconOf, logoOf } from './brand/brand-look.ts'
import { type Html, html } from './html.ts'
import { readLook } from './look.ts'
import type { Pages } from './page.ts'

/** Stands in these pages for the name of the service, which the frame puts in. */
export const SERVICE = '{{service}}'

/** Draws the pages of the sandbox: the dashboard's look without its menu, under a prominent band. */
export type SandboxPages = Readonly<{
  send(reply: FastifyReply, page: Readonly<{ title: string; main: Html }>): FastifyReply
  /** Answers for a session that has expired, else for one that never was. */
  sendMissing(reply: FastifyReply, why: 'expired' | undefined): FastifyReply | Promise<FastifyReply>
}>

/** Reads the logo and the look once. */
export function createSandboxPages(
  { designRoot, webRoot, brand }: Pick<ApiParts, 'designRoot' | 'webRoot' | 'brand'>,
  pages: Pages,
): SandboxPages {
  const logo = logoOf(brand, designRoot)
  const look = readLook(webRoot, brand)
  const send: SandboxPages['send'] = (reply, { title, main }) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(
        html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<script src="/docs/assets/theme.js"></script>
<title>${title} · ${SERVICE}</title>
<link rel="icon" type="image/svg+xml" href="${iconOf(brand)}">
${look}
<link rel="stylesheet" href="/docs/assets/pages.css">
<link rel="stylesheet" href="/docs/assets/sandbox.css">
<script type="module" src="/docs/assets/sandbox.js"></script>
</head>
<body class="sandbox">
<section class="banner banner-warning" aria-label="Test mode"><svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path d="M12 4 2.8 20h18.4zM12 10v4.5M12 17v.5"/></svg><strong>Test mode. No card is charged.</strong></section>
<header class="topbar"><a class="brand" href="/dashboard">${logo}</a></header>
<main id="main">
${main}
</main>
</body>
</html>
`.text.replaceAll(SERVICE, () => html`${brand.name}`.text),
      )
  return {
    send,
    sendMissing: (reply, why) =>
      why === 'expired' ? send(reply.code(410), EXPIRED_PAGE) : pages.sendNotFound(reply),
  }
}

/** The page for an expired address, of a checkout, paid or not, or of the portal, with a link back. */
const EXPIRED_PAGE = {
  title: 'Session expired',
  main: html`<div class="panel note"><h1>This page has expired</h1>
<p>Pages for paying and for managing a plan last one hour. Open a new one from the dashboard.</p>
<p class="actions"><a class="btn btn-primary" href="/dashboard/account">Back to ${SERVICE}</a></p></div>`,
} as const

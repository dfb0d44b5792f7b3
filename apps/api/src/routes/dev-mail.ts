import type { FastifyInstance } from 'fastify'
import type { KeptMail, Mailbox } from '../adapters/mail-dev.ts'
import { html } from '../pages/html.ts'
import type { Pages } from '../pages/page.ts'

/** The policy of a shown mail: it has its own styles and may open its link. No script, no form. */
const MAIL_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "frame-ancestors 'none'",
].join('; ')

/**
 * The developer mailbox: a page, its twin as JSON, and each mail as its HTML renders. The caller keeps strangers out. It
 * waits for mails that were just queued, so that a test that reads it right after a call finds the mail.
 */
export function addDevMailRoutes(
  app: FastifyInstance,
  parts: { mailbox: Mailbox; mailsSettled(): Promise<void>; clock: () => number },
  pages: Pages,
): void {
  const { mailbox, mailsSettled, clock } = parts

  app.get('/dev/mail.json', async (_request, reply) => {
    await mailsSettled()
    return reply.header('cache-control', 'no-store').send(
      mailbox.list().map(({ to, subject, link, at }) => ({
        to,
        subject,
        link,
        at: new Date(at).toISOString(),
      })),
    )
  })

  app.get<{ Querystring: Partial<Record<'to' | 'open', string | string[]>> }>(
    '/dev/mail',
    async (request, reply) => {
      await mailsSettled()
      const wanted = String(request.query.to ?? '')
      const mails = mailbox
        .list()
        .filter((mail) => mail.to.toLowerCase().includes(wanted.trim().toLowerCase()))
      const open = mails.find(({ id }) => id === request.query.open) ?? mails.find(isLogin) ?? mails[0]
      return pages.send(reply, {
        title: 'Dev mailbox',
        main: mailboxPage({ mails, open, wanted, now: clock() }),
        scripts: ['mailbox.js'],
        cacheControl: 'no-store',
      })
    },
  )

  app.get<{ Params: { id: string } }>('/dev/mail/:id', (request, reply) => {
    const mail = mailbox.list().find(({ id }) => id === request.params.id)
    if (!mail) return reply.callNotFound()
    return reply
      .header('cache-control', 'no-store')
      .header('content-security-policy', MAIL_POLICY)
      .type('text/html; charset=utf-8')
      .send(mail.html)
  })
}

function mailboxPage(shown: {
  mails: readonly KeptMail[]
  open: KeptMail | undefined
  wanted: string
  now: number
}) {
  const { mails, open, wanted, now } = shown
  return html`<div class="head">
<h1>Dev mailbox</h1>
<form class="filter" action="/dev/mail"><label for="filter">Filter by address</label> <input id="filter" class="input" name="to" type="search" value="${wanted}" autocomplete="off"></form>
</div>
<p class="second">Emails the service would have sent. Not available in production. <span id="mail-state" role="status"></span></p>
<div class="panes">
<ul id="mails" class="panel" aria-label="Emails, newest first">${mails.map(
    (mail) =>
      html`<li><a href="${addressOf(mail, wanted)}"${mail === open && html` aria-current="true"`}><span class="mail-to">${mail.to}</span><span class="mail-age">${age(now - mail.at)}</span><span class="mail-subject">${mail.subject}</span></a></li>`,
  )}</ul>
<section id="message" class="panel" aria-label="Message" data-mail="${open?.id ?? ''}">${
    open ? message(open) : html`<p class="empty">No emails yet. Request a login link.</p>`
  }</section>
</div>`
}

function message(mail: KeptMail) {
  return html`<h2>${mail.subject}</h2>
<p class="second">To ${mail.to}</p>
<p><a class="btn btn-primary" href="${mail.link}">${isLogin(mail) ? 'Open login link' : 'Open the link'}</a></p>
<p class="address">${mail.link}</p>
<pre class="mail-text">${mail.text}</pre>
<p><a href="/dev/mail/${mail.id}" target="_blank" rel="noopener">Show as HTML</a></p>`
}

/** The newest link: most people open the mailbox for it. */
function isLogin({ link }: KeptMail): boolean {
  return new URL(link).pathname === '/dashboard/login'
}

function addressOf({ id }: KeptMail, wanted: string): string {
  return `/dev/mail?${new URLSearchParams({ ...(wanted && { to: wanted }), open: id })}`
}

function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds}s ago`
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s ago`
}

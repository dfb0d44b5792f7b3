import type { FastifyInstance } from 'fastify'
import type { KeptMail, Mailbox } from '../adapters/mail-dev.ts'
import { html } from '../pages/html.ts'
import type { Pages } from '../pages/page.ts'

/** The developer mailbox: a page, and its twin as JSON. Added outside production only. */
export function addDevMailRoutes(
  app: FastifyInstance,
  { mailbox, clock }: { mailbox: Mailbox; clock: () => number },
  pages: Pages,
): void {
  app.get('/dev/mail.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send(
      mailbox.list().map(({ to, subject, link, at }) => ({
        to,
        subject,
        link,
        at: new Date(at).toISOString(),
      })),
    ),
  )

  app.get<{ Querystring: { to?: string | string[] } }>('/dev/mail', (request, reply) => {
    const wanted = String(request.query.to ?? '')
    const mails = mailbox.list().filter((mail) => mail.to.toLowerCase().includes(wanted.trim().toLowerCase()))
    return pages.send(reply, {
      title: 'Dev mailbox',
      main: mailboxPage(mails, wanted, clock()),
      scripts: ['mailbox.js'],
      cacheControl: 'no-store',
    })
  })
}

function mailboxPage(mails: readonly KeptMail[], wanted: string, now: number) {
  const [newest] = mails
  return html`<div class="head">
<h1>Dev mailbox</h1>
<form class="filter" action="/dev/mail"><label for="filter">Filter by address</label> <input id="filter" name="to" type="search" value="${wanted}" autocomplete="off"></form>
</div>
<p class="quiet">Mails that this service would have sent. Absent in production. <span id="mail-state" role="status"></span></p>
<div class="panes">
<ul id="mails" class="panel" aria-label="Mails, newest first">${mails.map(
    (mail) =>
      html`<li><button type="button" value="${mail.at}"><span class="mail-to">${mail.to}</span><span class="mail-age">${age(now - mail.at)}</span><span class="mail-subject">${mail.subject}</span></button></li>`,
  )}</ul>
<section id="message" class="panel" aria-label="Message">${
    newest
      ? html`<h2>${newest.subject}</h2><p class="quiet">To ${newest.to}</p><p><a class="button primary" href="${newest.link}">Open login link</a></p><p class="address">${newest.link}</p>`
      : html`<p class="empty">No mail yet. Ask for a login link.</p>`
  }</section>
</div>`
}

function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds}s ago`
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s ago`
}

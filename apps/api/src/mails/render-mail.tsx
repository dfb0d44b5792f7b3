import type { Letter, NoticeLetter, OrderLetter, QueuedMail, WebhookLetter } from '@pairwire/accounts'
import { planById } from '@pairwire/contract'
import { type Brand, PAIRWIRE } from '@pairwire/process/brand'
import { render } from '@react-email/render'
import type { ReactElement } from 'react'
import type { MailMessage } from '../adapters/mail.ts'
import { html } from '../pages/html.ts'
import { LoginMail, WelcomeMail } from './login-mail.tsx'
import { fillBrand, SERVICE } from './mail-layout.tsx'
import { CancelledMail, EndedMail, type Notice, PaymentFailedMail, TrialEndingMail } from './notices.tsx'
import { writeAlarmMail, writeOperatorMail } from './operator-mail.tsx'
import { HistoryFailedMail, HistoryReadyMail } from './order-mails.tsx'
import { WebhookMail } from './webhook-mail.tsx'

/**
 * Renders a queued mail: always the same for the same mail, so that a second attempt does not differ.
 *
 * @param publicUrl the base address of links
 */
export async function renderMail(
  { id, to, letter, createdAt }: Pick<QueuedMail, 'id' | 'to' | 'letter' | 'createdAt'>,
  publicUrl: string,
  brand: Brand = PAIRWIRE,
): Promise<MailMessage> {
  const { subject, link, page } = write(letter, `${publicUrl.replace(/\/+$/, '')}/dashboard`)
  return {
    id,
    to,
    subject: fillBrand(subject, brand),
    link,
    date: createdAt,
    html: fillBrand(await render(page), brand, (name) => html`${name}`.text),
    text: `${fillBrand(await render(page, { plainText: true, htmlToTextOptions: PLAIN }), brand)}\n`,
  }
}

/** Headings as written, and every address on a separate line, without brackets around it. */
const PLAIN = {
  wordwrap: 78,
  selectors: [
    { selector: 'h1', options: { uppercase: false } },
    { selector: 'a', format: 'addressLine' },
  ],
  formatters: { addressLine },
}

/** A link: its words, and below them its address. */
function addressLine(
  link: { children: unknown; attribs: { href: string } },
  walk: (children: unknown, builder: TextBuilder) => void,
  builder: TextBuilder,
): void {
  builder.openBlock({ leadingLineBreaks: 2 })
  walk(link.children, builder)
  builder.addLiteral(':')
  builder.addLineBreak()
  builder.addLiteral(link.attribs.href)
  builder.closeBlock({ trailingLineBreaks: 2 })
}

/** The part of html-to-text that `addressLine` needs; the library has no types. */
type TextBuilder = {
  openBlock(options: { leadingLineBreaks: number }): void
  closeBlock(options: { trailingLineBreaks: number }): void
  addLiteral(text: string): void
  addLineBreak(): void
}

function write(letter: Letter, dashboard: string): { subject: string; link: string; page: ReactElement } {
  if ('token' in letter) {
    const link = `${dashboard}/login?t=${encodeURIComponent(letter.token)}`
    const isWelcome = letter.template === 'welcome'
    const subject = isWelcome ? `Welcome to ${SERVICE}: your login link` : `Your ${SERVICE} login link`
    const Page = isWelcome ? WelcomeMail : LoginMail
    return { subject, link, page: <Page subject={subject} link={link} /> }
  }

  if ('sentence' in letter) return writeAlarmMail(letter)
  if ('address' in letter) return writeOperatorMail(letter)
  if ('orderId' in letter) return writeOrder(letter, dashboard)
  if ('url' in letter) return writeWebhook(letter, dashboard)
  const { planName, subject, path, Page } = noticeOf(letter)
  const link = `${dashboard}/${path}`
  const end = inWords(letter.endsAt)
  return { subject, link, page: <Page subject={subject} planName={planName} end={end} link={link} /> }
}

function noticeOf({ template, planId }: NoticeLetter): {
  planName: string
  subject: string
  path: 'upgrade' | 'account'
  Page: (notice: Notice) => ReactElement
} {
  const planName = planById(planId)?.name ?? SERVICE
  switch (template) {
    case 'trial_ending':
      return {
        planName,
        subject: `Your ${SERVICE} trial ends soon`,
        path: 'upgrade',
        Page: TrialEndingMail,
      }
    case 'payment_failed':
      return {
        planName,
        subject: `Your payment for ${SERVICE} failed`,
        path: 'account',
        Page: PaymentFailedMail,
      }
    case 'cancelled':
      return {
        planName,
        subject: `Your ${SERVICE} plan is cancelled`,
        path: 'account',
        Page: CancelledMail,
      }
    case 'ended':
      return { planName, subject: `Your ${SERVICE} plan has ended`, path: 'upgrade', Page: EndedMail }
  }
}

function writeOrder(letter: OrderLetter, dashboard: string) {
  const link = `${dashboard}/historical/orders`
  const window = `${inWords(letter.from)} to ${inWords(letter.to)}`
  const isReady = letter.template === 'history_ready'
  const subject = isReady ? 'Your history is ready' : `Your ${SERVICE} order is incomplete`
  const Page = isReady ? HistoryReadyMail : HistoryFailedMail
  return { subject, link, page: <Page {...letter} subject={subject} window={window} link={link} /> }
}

function writeWebhook({ template, url, since }: WebhookLetter, dashboard: string) {
  const isStopped = template === 'webhook_stopped'
  const subject = isStopped ? `A ${SERVICE} webhook was stopped` : `A ${SERVICE} webhook is failing`
  const link = `${dashboard}/account`
  const page = <WebhookMail {...{ subject, isStopped, url, link }} since={inWords(new Date(since))} />
  return { subject, link, page }
}

/** For example `4 Feb 2026, 12:00 UTC`. */
function inWords(moment: Date): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(moment)
  return `${day}, ${moment.toISOString().slice(11, 16)} UTC`
}

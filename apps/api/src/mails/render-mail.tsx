import type { QueuedMail } from '@pairwire/accounts'
import { type Brand, PAIRWIRE } from '@pairwire/process/brand'
import { render } from '@react-email/render'
import type { MailMessage } from '../adapters/mail.ts'
import { html } from '../pages/html.ts'
import { fillBrand, MailLayout } from './mail-layout.tsx'
import { wordsOf } from './mail-words.ts'

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
  const words = wordsOf(letter, `${publicUrl.replace(/\/+$/, '')}/dashboard`)
  const page = <MailLayout {...words} />
  return {
    id,
    to,
    subject: fillBrand(words.subject, brand),
    link: words.link,
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

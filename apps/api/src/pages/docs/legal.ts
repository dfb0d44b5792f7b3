import { TRIAL_DAYS } from '@pairwire/contract'
import { type Html, html } from '../html.ts'
import type { DocPage, DocSection } from './doc-page.ts'

/** The three texts that people agree to or may want to read: a plain start that the operator replaces. */
export function legalPages(supportEmail: string): readonly DocPage[] {
  const page = (
    path: string,
    title: string,
    description: string,
    lead: Html,
    sections: readonly DocSection[],
  ): DocPage => ({
    path,
    title,
    description,
    group: 'Legal',
    lead: html`<p class="to-replace" role="note"><strong>For the operator: replace this text with your own before others use your server.</strong> It comes with the software. No lawyer has checked it, and it names no responsible person. It is in <code>apps/api/src/pages/docs/legal.ts</code>.</p>${lead}`,
    sections: [
      ...sections,
      {
        id: 'questions',
        heading: 'Questions',
        text: html`<p>Write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`,
      },
    ],
  })

  return [
    page(
      '/docs/terms',
      'Terms',
      'The terms under which this server offers its stream.',
      html`<p>The operator of this server offers you the stream. Pairwire is the open-source software behind it.</p>`,
      [
        {
          id: 'account',
          heading: 'Your account',
          text: html`<p>An account is for one person or one company. You are responsible for everything done with your key. Reset it if someone else has seen it.</p>`,
        },
        {
          id: 'plans',
          heading: 'Plans',
          text: html`<p>The <a href="/docs/limits">docs</a> list the limits of each plan. The free trial lasts ${TRIAL_DAYS} days, once per user.</p>`,
        },
        {
          id: 'use',
          heading: 'What you may do',
          text: html`<p>You may use the data commercially. You may not resell the stream itself.</p><p>Do not attack the service, share keys to get around limits, or register in bulk. The operator may close accounts that do.</p>`,
        },
        {
          id: 'no-warranty',
          heading: 'No warranty',
          text: html`<p>You get the service as is. It can be late, interrupted or wrong, and nobody is liable for your losses.</p>`,
        },
      ],
    ),
    page(
      '/docs/privacy',
      'Privacy',
      'What this server stores about you, what it does not, and what remains when you leave.',
      html`<p>This is what the software stores. If the operator stores more, they must say so here.</p>`,
      [
        {
          id: 'kept',
          heading: 'What we store',
          text: html`<ul>
<li>Your email, when you registered, how you found us, and whether you want marketing emails.</li>
<li>Your API key, encrypted, and your plan.</li>
<li>When you signed in, until that session ends.</li>
<li>How many events of each kind you were sent, by day and billing period. Not which events, and not your filters.</li>
<li>Your stream connections of the last day: address, name of the program, and when they were open.</li>
</ul>`,
        },
        {
          id: 'not-kept',
          heading: 'What we do not store',
          text: html`<p>No passwords, no cookies, no profile. Your browser keeps the session and your settings in its local storage. The server keeps other callers’ addresses in memory for a short time, to limit how often they call.</p>`,
        },
        {
          id: 'others',
          heading: 'Others',
          text: html`<p>Card payment, support chat, error reports and visit statistics by other companies are off until the operator turns them on.</p>`,
        },
        {
          id: 'deleting',
          heading: 'When you delete your account',
          text: html`<p>All of it is deleted at once. Only a keyed hash of your email remains, so that each user gets one free trial. Nobody can read the email from it. If the payment provider charges you afterwards, its report is kept for a year, without your name or email, so that you can be refunded.</p>`,
        },
      ],
    ),
    page(
      '/docs/disclaimer',
      'Disclaimer',
      'Nothing in the stream is advice, strangers create the tokens, and you can lose everything.',
      html`<p>Nothing here is advice.</p>`,
      [
        {
          id: 'data',
          heading: 'The data',
          text: html`<p>Events are read from a public ledger, and prices and dollar values are computed from them. They can be late, incomplete or wrong.</p>
<p>If the banner says "Data is simulated.", nothing is live: tokens, wallets and prices are made up or recorded.</p>`,
        },
        {
          id: 'tokens',
          heading: 'The tokens',
          text: html`<p>Strangers create new tokens, many of them in bad faith. Names, symbols and links are theirs, not ours.</p>`,
        },
        {
          id: 'you',
          heading: 'You',
          text: html`<p>You can lose all the money that you put in. Decide for yourself, and never trade on this stream alone.</p>`,
        },
      ],
    ),
  ]
}

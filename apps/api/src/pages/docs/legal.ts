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
    lead: html`<p class="to-replace" role="note"><strong>For the operator: replace this text by your own before others use your server.</strong> It comes with the software, has not been looked at by a lawyer, and names nobody who answers for it. It stands in <code>apps/api/src/pages/docs/legal.ts</code>.</p>${lead}`,
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
      html`<p>Whoever runs this server offers you the stream; Pairwire is the open-source software that it runs on.</p>`,
      [
        {
          id: 'account',
          heading: 'Your account',
          text: html`<p>An account is for one person or one company. You answer for what is done with your key; reset it when it got out.</p>`,
        },
        {
          id: 'plans',
          heading: 'Plans',
          text: html`<p>Each plan has the limits that the <a href="/docs/limits">docs</a> state. The free trial lasts ${TRIAL_DAYS} days and is given once per user.</p>`,
        },
        {
          id: 'use',
          heading: 'What you may do',
          text: html`<p>You may use the data commercially. You may not resell the stream itself as it is.</p><p>Do not attack the service, share keys to get round limits, or register in bulk. Accounts that do may be closed.</p>`,
        },
        {
          id: 'no-warranty',
          heading: 'No warranty',
          text: html`<p>The service is given as it is. It can be late, interrupted or wrong, and nobody owes you for what you lose by that.</p>`,
        },
      ],
    ),
    page(
      '/docs/privacy',
      'Privacy',
      'What this server keeps about you, what it does not, and what stays when you go.',
      html`<p>This is what the software keeps. Whoever runs it may keep more, and must say so here.</p>`,
      [
        {
          id: 'kept',
          heading: 'What is kept',
          text: html`<ul>
<li>Your email, when you registered, how you found us, and whether you want marketing emails.</li>
<li>Your API key, encrypted, and your plan.</li>
<li>When you signed in, for as long as that lasts.</li>
<li>How many events of each kind were sent to you, by day and billing period. Not which ones, and not your filters.</li>
<li>Your stream connections of the last day: address, name of the program, and when they were open.</li>
</ul>`,
        },
        {
          id: 'not-kept',
          heading: 'What is not',
          text: html`<p>No passwords, no cookies, no profile. Your browser keeps the session and your settings in its local storage. Addresses of other callers are held in memory for a short time to limit how often they call.</p>`,
        },
        {
          id: 'others',
          heading: 'Others',
          text: html`<p>Card payment, support chat, error reports and visit statistics by other companies are off until the operator turns them on.</p>`,
        },
        {
          id: 'deleting',
          heading: 'When you delete your account',
          text: html`<p>All of it goes at once. A keyed hash of the email stays, from which the email cannot be read, so that the free trial stays once per user. Should the payment provider charge you after that, its report of the payment is kept for a year, without your name or email, so that you get your money back.</p>`,
        },
      ],
    ),
    page(
      '/docs/disclaimer',
      'Disclaimer',
      'Nothing in the stream is advice; tokens are made by strangers; you can lose everything.',
      html`<p>Nothing here is advice.</p>`,
      [
        {
          id: 'data',
          heading: 'The data',
          text: html`<p>Events are facts read from a public ledger, and prices and dollar values are computed from them; they can be late, incomplete or wrong.</p>
<p>On a server that says "Data is simulated." in its banner, nothing is real: tokens, wallets and prices are made up or recorded.</p>`,
        },
        {
          id: 'tokens',
          heading: 'The tokens',
          text: html`<p>New tokens are made by strangers, many of them in bad faith. Names, symbols and links are theirs, not ours.</p>`,
        },
        {
          id: 'you',
          heading: 'You',
          text: html`<p>You can lose all that you put in. Decide for yourself, and never trade on this stream alone.</p>`,
        },
      ],
    ),
  ]
}

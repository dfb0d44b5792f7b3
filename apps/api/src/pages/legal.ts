import { TRIAL_DAYS } from '@pairwire/contract'
import { type Html, html } from './html.ts'

/** The three texts that people agree to or may want to read, by the last part of their address under /docs. */
export function legalPages(
  supportEmail: string,
): Readonly<Record<string, Readonly<{ title: string; main: Html }>>> {
  const contact = html`<p>Questions: <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`
  const text = (title: string, body: Html) => ({
    title,
    main: html`<article><p class="quiet"><a href="/docs">Docs</a></p><h1>${title}</h1>${body}${contact}</article>`,
  })

  return {
    terms: text(
      'Terms',
      html`<p>Whoever runs this server offers you the stream; Pairwire is the open-source software that it runs on.</p>
<ul>
<li>An account is for one person or one company. You answer for what is done with your key; reset it when it got out.</li>
<li>Each plan has the limits that the <a href="/docs#limits">docs</a> state. The free trial lasts ${TRIAL_DAYS} days and is given once per user.</li>
<li>You may use the data commercially. You may not resell the stream itself as it is.</li>
<li>Do not attack the service, share keys to get round limits, or register in bulk. Accounts that do may be closed.</li>
<li>The service is given as it is. It can be late, interrupted or wrong, and nobody owes you for what you lose by that.</li>
</ul>`,
    ),
    privacy: text(
      'Privacy',
      html`<h2>What is kept</h2>
<ul>
<li>Your email, when you registered, how you found us, and whether you want marketing emails.</li>
<li>Your API key, encrypted, and your plan.</li>
<li>How many events were sent to you in each billing period. Not which ones, and not your filters.</li>
</ul>
<h2>What is not</h2>
<p>No passwords, no cookies, no profile. Your browser keeps the session and your settings in its local storage. Addresses of callers are held in memory for a short time to limit how often they call.</p>
<h2>When you delete your account</h2>
<p>All of it goes at once. A keyed hash of the email stays, from which the email cannot be read, so that the free trial stays once per user.</p>`,
    ),
    disclaimer: text(
      'Disclaimer',
      html`<p>Nothing here is advice. Events are facts read from a public ledger, and prices and dollar values are computed from them; they can be late, incomplete or wrong.</p>
<p>New tokens are made by strangers, many of them in bad faith. Names, symbols and links are theirs, not ours. You can lose all that you put in. Decide for yourself, and never trade on this stream alone.</p>
<p>On a server that says "Data is simulated." in its banner, nothing is real: tokens, wallets and prices are made up or recorded.</p>`,
    ),
  }
}

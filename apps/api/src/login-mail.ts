import type { LoginToken } from '@pairwire/accounts'
import { AppError } from '@pairwire/contract'
import type { Mail, MailMessage } from './adapters/mail.ts'
import { html } from './pages/html.ts'
import type { Log } from './parts.ts'
import { traceOf } from './plugins/errors.ts'

/**
 * Mails the link that signs a person in.
 *
 * @param sentence what to answer when the mail server does not take it
 * @throws AppError ERR_UNAVAILABLE when the mail could not be sent
 */
export async function sendLoginMail(
  parts: { mail: Mail; publicUrl: string; log: Log },
  token: LoginToken,
  sentence: string,
): Promise<void> {
  try {
    await parts.mail.send(composeLoginMail(parts.publicUrl, token))
  } catch (error) {
    parts.log.error('A login mail could not be sent.', traceOf(error))
    throw new AppError('ERR_UNAVAILABLE', sentence)
  }
}

/** The login mail: one link, good once and for 15 minutes. */
export function composeLoginMail(publicUrl: string, { email, token }: LoginToken): MailMessage {
  const link = `${publicUrl.replace(/\/+$/, '')}/dashboard/login?t=${encodeURIComponent(token)}`

  return {
    to: email,
    subject: 'Your Pairwire login link',
    link,
    text: [
      'Sign in to Pairwire',
      '',
      'Open this link to sign in. It works once and for 15 minutes.',
      '',
      link,
      '',
      'You did not ask for it? Then ignore this mail: nobody gets in without the link.',
      '',
    ].join('\n'),
    html: asHtml(link),
  }
}

/** Mail programs know no style sheets: styles stand at the elements, colours are the light theme's. */
function asHtml(link: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>Your Pairwire login link</title>
</head>
<body style="margin:0;padding:32px 16px;background:#f5f4f0;color:#191b1a;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<table role="presentation" align="center" cellpadding="0" cellspacing="0" style="width:100%;max-width:480px;background:#ffffff;border:1px solid #dedbd2;border-radius:12px">
<tr><td style="height:0;border-top:2px solid #00627a;border-bottom:2px solid #a34a07;border-radius:12px 12px 0 0;font-size:0;line-height:0">&nbsp;</td></tr>
<tr><td style="padding:28px 32px 32px">
<p style="margin:0 0 20px;font-weight:600">pairwire</p>
<h1 style="margin:0 0 8px;font-size:24px;line-height:1.2;font-weight:600">Sign in to Pairwire</h1>
<p style="margin:0 0 24px;color:#4e524e">This link works once and for 15 minutes.</p>
<p style="margin:0 0 24px"><a href="${link}" style="display:inline-block;padding:12px 20px;border-radius:5px;background:#191b1a;color:#ffffff;font-weight:600;text-decoration:none">Sign in</a></p>
<p style="margin:0 0 4px;font-size:13px;color:#646861">The button does nothing? Open this address:</p>
<p style="margin:0 0 24px;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;word-break:break-all"><a href="${link}" style="color:#191b1a">${link}</a></p>
<p style="margin:0;font-size:13px;color:#646861">You did not ask for it? Then ignore this mail: nobody gets in without the link.</p>
</td></tr>
</table>
</body>
</html>
`.text
}

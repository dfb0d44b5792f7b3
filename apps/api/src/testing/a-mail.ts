import type { MailMessage } from '../adapters/mail.ts'

/** A login mail as an adapter gets it. */
export function aMail(over: Partial<MailMessage> = {}): MailMessage {
  return {
    id: '2f0a3c5e-7a51-4f0e-9d0c-6f7f3a1b2c3d',
    to: 'mara@example.com',
    subject: 'Your Pairwire login link',
    link: 'http://localhost:23000/dashboard/login?t=a-login-token',
    text: 'Sign in:\nhttp://localhost:23000/dashboard/login?t=a-login-token\n',
    html: '<p><a href="http://localhost:23000/dashboard/login?t=a-login-token">Sign in</a></p>',
    date: new Date('2026-02-03T12:00:00Z'),
    ...over,
  }
}

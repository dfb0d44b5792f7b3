import type { Mail } from './mail.ts'

/** Sends nothing and says so: for a service that others can reach but that has no mail server. */
export function createNoMail(): Mail {
  return {
    send: () => Promise.reject(new Error('There is no mail server: SMTP_URL is not set.')),
    close: async () => {},
  }
}

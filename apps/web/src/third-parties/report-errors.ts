import { errorEnvelope, MOST_REPORTS, readReportAddress } from './error-report.ts'

/** Sends uncaught errors to Sentry from now on. A report that does not arrive is lost silently. */
export function reportErrors(dsn: string): void {
  const address = readReportAddress(dsn)
  if (!address) return
  let sent = 0
  const report = (error: unknown) => {
    if (sent >= MOST_REPORTS) return
    sent += 1
    const body = errorEnvelope(error, {
      id: crypto.randomUUID().replaceAll('-', ''),
      dsn: address.dsn,
      path: window.location.pathname,
      origin: window.location.origin,
      now: Date.now(),
    })
    fetch(address.url, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => {})
  }
  window.addEventListener('error', ({ error, message }) => report(error ?? message))
  window.addEventListener('unhandledrejection', ({ reason }) => report(reason))
}

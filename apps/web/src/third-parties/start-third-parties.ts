import type { PublicConfig } from '@pairwire/contract'

/**
 * Starts what the settings name, once the page is idle; the code of the rest is not even fetched. The chat is not
 * included: it starts when its button is pressed.
 */
export function startThirdParties({ production, thirdParties }: PublicConfig): void {
  const { sentryDsn, clarityProjectId } = thirdParties ?? {}
  if (production && sentryDsn) {
    whenIdle(() => import('./report-errors.ts').then(({ reportErrors }) => reportErrors(sentryDsn)))
  }
  if (clarityProjectId) {
    whenIdle(() => import('./analytics.ts').then(({ trackSessions }) => trackSessions(clarityProjectId)))
  }
}

function whenIdle(start: () => Promise<void>): void {
  // A part that does not load is not an error of the page.
  const begin = () => void start().catch(() => {})
  // Safari has no idle callback.
  if ('requestIdleCallback' in window) window.requestIdleCallback(begin)
  else setTimeout(begin, 1_000)
}

/** Where reports go. */
type ReportAddress = Readonly<{ url: string; dsn: string }>

/** The most reports that one visit sends: a repeated error says nothing new. */
export const MOST_REPORTS = 10

/** Characters kept of the browser's texts. */
const MOST_TEXT = 8_000

/**
 * The address for envelopes in a DSN.
 *
 * @returns `undefined` when it is not a DSN
 * @see https://develop.sentry.dev/sdk/foundations/transport/authentication/
 */
export function readReportAddress(dsn: string): ReportAddress | undefined {
  const parts = /^(https:)\/\/(\w+)@([^/]+)((?:\/[^/]+)*)\/(\d+)$/.exec(dsn)
  if (!parts) return undefined
  const [, protocol, key, host, path, project] = parts
  return {
    url: `${protocol}//${host}${path}/api/${project}/envelope/?sentry_version=7&sentry_key=${key}`,
    dsn,
  }
}

/**
 * An envelope with one error event: the error's name, message and stack, and the page's path. No user, query,
 * cookie or breadcrumb.
 *
 * @see https://develop.sentry.dev/sdk/foundations/transport/envelopes/
 */
export function errorEnvelope(
  error: unknown,
  about: Readonly<{ id: string; dsn: string; path: string; origin: string; now: number }>,
): string {
  const known = error instanceof Error ? error : new Error(String(error))
  const sentAt = new Date(about.now).toISOString()
  const event = {
    event_id: about.id,
    timestamp: about.now / 1_000,
    platform: 'javascript',
    level: 'error',
    environment: 'production',
    request: { url: about.origin + about.path },
    exception: {
      values: [
        {
          type: known.name,
          value: known.message.slice(0, MOST_TEXT),
          stacktrace: { frames: readFrames(known) },
        },
      ],
    },
  }
  return [{ event_id: about.id, dsn: about.dsn, sent_at: sentAt }, { type: 'event' }, event]
    .map((line) => JSON.stringify(line))
    .join('\n')
}

type Frame = { function: string; filename: string; lineno: number; colno: number; in_app: true }

/** Frames of a stack, the oldest call first, as the service wants; reads Chromium's format and the others'. */
function readFrames(error: Error): Frame[] {
  const frames: Frame[] = []
  for (const line of (error.stack ?? '').slice(0, MOST_TEXT).split('\n')) {
    const found =
      /^\s*at (?:(.*?) \()?([a-z]+:\/\/[^\s?#()]+)(?:[?#][^\s:()]*)?:(\d+):(\d+)\)?$/.exec(line) ??
      /^(.*?)@([a-z]+:\/\/[^\s?#]+)(?:[?#][^\s:]*)?:(\d+):(\d+)$/.exec(line)
    if (!found) continue
    const [, name, filename, lineno, colno] = found
    frames.unshift({
      function: name || '?',
      filename: filename ?? '',
      lineno: Number(lineno),
      colno: Number(colno),
      in_app: true,
    })
  }
  return frames
}

import { askParts } from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import type { Pages } from '../pages/page.ts'
import { eventsByExchange } from '../pages/status/exchange-bars.ts'
import { type StatusFigures, stateWords, statusPage } from '../pages/status/status-page.ts'
import type { ApiParts } from '../parts.ts'
import type { RateLimits } from '../plugins/rate-limit.ts'
import { publicSource } from '../status/public-source.ts'
import { judge } from '../status/service-state.ts'
import type { StatusHistory } from '../status/status-history.ts'
import { isMadeUp } from '../system-status.ts'

/** GET /status and its twin /status.json: the state of the service now and over 90 days, for anyone. */
export function addStatusRoutes(
  app: FastifyInstance,
  parts: ApiParts & { limits: RateLimits },
  history: StatusHistory,
  pages: Pages,
): void {
  const figures = async (): Promise<StatusFigures> => {
    const health = await askParts(parts)
    const source = publicSource(parts.sourceState())
    return {
      source,
      verdict: judge(source, health),
      missing: parts.missingAnswers?.() ?? [],
      record: history.read(),
      notices: parts.notices.all(),
      history: parts.archiveFigures?.(),
      at: parts.clock(),
    }
  }

  const onRequest = parts.limits.statusPerAddress
  app.get('/status', { onRequest }, async (_request, reply) =>
    pages.send(reply, {
      title: 'System Status',
      description: 'The state of the live stream now and over the last 90 days.',
      path: '/status',
      current: '/status',
      main: statusPage(await figures()),
      styles: ['status.css'],
      scripts: ['status.js'],
      cacheControl: 'no-store',
    }),
  )

  app.get('/status.json', { onRequest }, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send(toJson(await figures(), parts.simulated)),
  )
}

/** The page's numbers. Times are RFC 3339, lags in milliseconds, durations in seconds. */
function toJson({ source, verdict, missing, record, notices, at }: StatusFigures, simulated: boolean) {
  return {
    at: timeOf(at),
    state: verdict.state,
    sentence: stateWords(verdict),
    ...(missing.length > 0 ? { missing } : {}),
    simulated: isMadeUp(source, simulated),
    chain: source.chain ?? null,
    latestBlock: source.latestBlock,
    eventsPerSecond: source.eventsPerSecond,
    lagMs: source.lagMs,
    solPrice: source.solPrice,
    metadata: source.metadata ?? null,
    source: source.live ?? null,
    proof: source.proof ?? null,
    minutes: record.minutes.map(({ exchanges: _, ...minute }) => ({ ...minute, at: timeOf(minute.at) })),
    exchanges: Object.fromEntries(eventsByExchange(record.minutes, at)),
    days: record.days.map(({ day, well, late, down, proof }) => ({
      day,
      wellSeconds: Math.round(well),
      lateSeconds: Math.round(late),
      downSeconds: Math.round(down),
      ...(proof ? { proof } : {}),
    })),
    incidents: record.incidents.map((incident) => ({
      ...incident,
      from: timeOf(incident.from),
      to: timeOf(incident.to),
    })),
    notices: notices.map(({ details, createdAt, clearedAt }) => ({ details, createdAt, clearedAt })),
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}

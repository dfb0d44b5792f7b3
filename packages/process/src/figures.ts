import { createHash, timingSafeEqual } from 'node:crypto'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Metrics of one kind: added to a registry, they are brought up to date by what is returned. */
export type Figures = (registry: Registry) => () => void | Promise<void>

/** All metrics of a process, as Prometheus text. */
type Metrics = Readonly<{ registry: Registry; contentType: string; text(): Promise<string> }>

/** What makes the counters and gauges of a registry; `labels` tell the lines of one apart. */
export const metricsOf = (registry: Registry) => ({
  counter: <Label extends string = never>(name: string, help: string, ...labels: readonly Label[]) =>
    new Counter({ name, help, labelNames: labels, registers: [registry] }),
  gauge: <Label extends string = never>(name: string, help: string, ...labels: readonly Label[]) =>
    new Gauge({ name, help, labelNames: labels, registers: [registry] }),
})

/** Gathers the figures of a process, and those that every process of Node's has. */
export function createMetrics(kinds: readonly Figures[]): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const updates = kinds.map((kind) => kind(registry))
  return {
    registry,
    contentType: registry.contentType,
    async text() {
      await Promise.all(updates.map((update) => update()))
      return registry.metrics()
    },
  }
}

/** Whether each part is up. `ask` gives undefined when they do not answer in time. */
export const partFigures =
  (ask: () => Promise<Readonly<Record<string, boolean>> | undefined>): Figures =>
  (registry) => {
    const { gauge } = metricsOf(registry)
    const partUp = gauge('pairwire_part_up', '1 while the part is up.', 'part')
    return async () => {
      for (const [part, up] of Object.entries((await ask()) ?? {})) partUp.set({ part }, up ? 1 : 0)
    }
  }

/** The room on the disk of the data folder. */
export const diskFigures =
  (freeBytes: () => number | undefined): Figures =>
  (registry) => {
    const { gauge } = metricsOf(registry)
    const diskFree = gauge('pairwire_disk_free_bytes', 'Bytes free on the disk of DATA_DIR.')
    return () => {
      const free = freeBytes()
      if (free !== undefined) diskFree.set(free)
    }
  }

/** What is kept on the disk for who resumes; nothing is told where nothing is. */
export const keptFigures =
  (read: () => Promise<KeptEvents | undefined>): Figures =>
  (registry) => {
    const { gauge } = metricsOf(registry)
    const keptBytes = gauge(
      'pairwire_events_kept_bytes',
      'Bytes on disk of the events that clients can resume.',
    )
    const keptOldest = gauge(
      'pairwire_events_kept_oldest_info',
      'Always 1; the cursor is the oldest that clients can resume from, and begins with run and slot.',
      'cursor',
    )
    return async () => {
      const kept = await read()
      keptOldest.reset()
      if (kept) keptBytes.set(kept.bytes)
      if (kept?.oldestCursor !== undefined) keptOldest.set({ cursor: kept.oldestCursor }, 1)
    }
  }

/** The events that are kept on the disk. */
type KeptEvents = Readonly<{
  bytes: number
  /** Cursor of the oldest event; undefined before the first. */
  oldestCursor: string | undefined
}>

/** Whether a header brings the token, compared by hash, so that neither time nor length tells anything of it. */
export function bringsToken(header: string | undefined, token: string | undefined): boolean {
  const brought = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  if (token === undefined || brought === undefined) return false
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(brought), hash(token))
}

/** Counters that somebody else keeps, each as a metric of its own by its camelCase name. */
export function createTotals(part: string, registry: Registry) {
  const totals = new Map<string, Counter>()
  return (values: Readonly<Record<string, number>>) => {
    for (const [name, value] of Object.entries(values)) {
      const metric = `pairwire_${part}_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`
      const help = `Counter ${name} of the ${part} since the start.`
      const counter = totals.get(metric) ?? new Counter({ name: metric, help, registers: [registry] })
      totals.set(metric, counter)
      counter.reset()
      counter.inc(value)
    }
  }
}

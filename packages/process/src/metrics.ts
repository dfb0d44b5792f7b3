import { createHash, timingSafeEqual } from 'node:crypto'
import { within } from '@pairwire/basics'
import { bearerOf } from '@pairwire/contract'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** A metric as a row of a table. */
export type Metric<State> = Readonly<{
  /** A name that ends in `_total`, `_sum` or `_count` is a counter, as in Prometheus; any other is a gauge. */
  name: `pairwire_${string}`
  help: string
  labels?: readonly string[]
  /** Reads the value, or a sample for each set of labels; null or undefined keeps the last one. */
  read(state: State): number | null | undefined | readonly Sample[]
}>

/** A value, with its labels in the order of the metric's. */
type Sample = readonly [value: number, ...labels: string[]]

/** Adds metrics to a registry. Returns a function that updates them. */
export type Metrics = (registry: Registry) => () => Promise<void>

/**
 * Creates metrics from a table, all read from one state; without a state they stay unchanged. Counters that `part` keeps by
 * camelCase names become separate metrics once they are in `totals`.
 */
export function metricTable<State>(
  rows: readonly Metric<State>[],
  readState: () => State | undefined | Promise<State | undefined>,
  { part, totals }: Totals<State> = { part: '', totals: () => ({}) },
): Metrics {
  return (registry) => {
    const updates = rows.map((row) => addMetric(row, registry))
    const counters = new Map<string, (value: number) => void>()
    const addCounter = (name: string) => {
      const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const help = `Counter ${name} of the ${part} since the start.`
      const update = addMetric<number>(
        { name: `pairwire_${part}_${snakeCase}_total`, help, read: (value) => value },
        registry,
      )
      counters.set(name, update)
      return update
    }

    return async () => {
      const state = await readState()
      if (state === undefined) return
      for (const update of updates) update(state)
      for (const [name, value] of Object.entries(totals(state)))
        (counters.get(name) ?? addCounter(name))(value)
    }
  }
}

type Totals<State> = Readonly<{ part: string; totals(state: State): Readonly<Record<string, number>> }>

function addMetric<State>({ name, help, labels = [], read }: Metric<State>, registry: Registry) {
  const Kind = /_(total|sum|count)$/.test(name) ? Counter : Gauge
  const metric = new Kind({ name, help, labelNames: labels, registers: [registry] })
  // The library begins with a 0, which nobody has read: of a disk it would say that it is full.
  if (labels.length === 0) metric.remove()
  return (state: State) => {
    const found = read(state)
    if (found === undefined || found === null) return
    metric.reset()
    const samples: readonly Sample[] = typeof found === 'number' ? [[found]] : found
    for (const [value, ...values] of samples)
      metric.inc(Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ''])), value)
  }
}

/** Collects the metrics of a process, and those of every Node process; reading them takes `withinMs` at most. */
export function createMetrics(kinds: readonly Metrics[], withinMs = 2_000) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const updates = kinds.map((kind) => kind(registry))
  return {
    registry,
    contentType: registry.contentType,
    /** Writes them as Prometheus text; what does not answer in time keeps its last values. */
    async text(): Promise<string> {
      await within(withinMs, Promise.all(updates.map((update) => update())))
      return registry.metrics()
    },
  }
}

/** A function that reads the values of metrics, by series as `/metrics` writes them. */
export function readFigures(kinds: readonly Metrics[]): () => Promise<Readonly<Record<string, number>>> {
  const registry = new Registry()
  const updates = kinds.map((kind) => kind(registry))
  return async () => {
    await Promise.all(updates.map((update) => update()))
    const series = (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
      values.map(({ labels, value }) => {
        const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
        return [pairs.length > 0 ? `${name}{${pairs.join()}}` : name, value] as const
      }),
    )
    return Object.fromEntries(series)
  }
}

/** Reports whether each part is up; `ask` returns undefined if they do not answer in time. */
export const partMetrics = (ask: () => Promise<Readonly<Record<string, boolean>> | undefined>) =>
  metricTable(
    [
      {
        name: 'pairwire_part_up',
        help: '1 while the part is up.',
        labels: ['part'],
        read: (parts) => Object.entries(parts).map(([part, isUp]) => [Number(isUp), part]),
      },
    ],
    ask,
  )

/** Reports the free space on the disk of the data folder. */
export const diskMetrics = (freeBytes: () => number | undefined) =>
  metricTable(
    [{ name: 'pairwire_disk_free_bytes', help: 'Bytes free on the disk of DATA_DIR.', read: (free) => free }],
    freeBytes,
  )

/** Whether a header carries the token, compared by hash, so that neither time nor length reveals anything about it. */
export function bringsToken(header: string | undefined, token: string | undefined): boolean {
  const brought = bearerOf(header)
  if (token === undefined || brought === undefined) return false
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(brought), hash(token))
}

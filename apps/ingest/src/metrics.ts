import type { SourceState } from '@pairwire/contract'
import { type Metric, metricTable } from '@pairwire/process'

/** Metrics of where transactions come from, what was made of them, and whether that is correct and complete. */
export const sourceMetrics = (read: () => SourceState) =>
  metricTable([...SOURCE, ...PRICE, ...METADATA, ...PROOF], read, { part: 'source', totals: totalsOf })

type Rows = readonly Metric<SourceState>[]

const SOURCE: Rows = [
  { name: 'pairwire_source_up', help: '1 while blocks come in.', read: ({ up }) => Number(up) },
  {
    name: 'pairwire_source_lag_seconds',
    help: 'How far the newest block was behind the clock.',
    read: ({ lagMs }) => inSeconds(lagMs),
  },
  {
    name: 'pairwire_event_lag_seconds_bucket',
    help: 'Events since the start that were at most this late; +Inf counts all.',
    labels: ['le'],
    read: ({ lags: { bounds, counts } }) => {
      let events = 0
      return counts.map((count, bucket) => {
        events += count
        return [events, String(inSeconds(bounds[bucket]) ?? '+Inf')]
      })
    },
  },
  {
    name: 'pairwire_event_lag_seconds_sum',
    help: 'Total lag of all events since the start.',
    read: ({ lags }) => lags.sum / 1_000,
  },
  {
    name: 'pairwire_event_lag_seconds_count',
    help: 'Events since the start whose lag is known.',
    read: ({ lags }) => lags.counts.reduce((sum, count) => sum + count, 0),
  },
  {
    name: 'pairwire_decode_refusals_total',
    help: 'Bytes that may have held an event but could not be decoded.',
    labels: ['exchange', 'reason'],
    read: ({ refusals }) =>
      Object.entries(refusals).map(([name, count]) => {
        const [exchange = '', ...reason] = name.split(' ')
        return [count, exchange, reason.join(' ')]
      }),
  },
  {
    name: 'pairwire_source_latest_block',
    help: 'Slot of the newest block.',
    read: ({ latestBlock }) => latestBlock,
  },
  {
    name: 'pairwire_source_slot_seconds',
    help: 'Measured time from one slot of the live chain to the next.',
    read: ({ live }) => inSeconds(live?.slotMs),
  },
  {
    name: 'pairwire_source_alarms_total',
    help: 'Things that should never happen on a sound chain.',
    labels: ['alarm'],
    read: ({ live }) => live && Object.entries(live.alarms).map(([alarm, count]) => [count, alarm]),
  },
  {
    name: 'pairwire_source_endpoint_up',
    help: '1 while the endpoint is read.',
    labels: ['endpoint'],
    read: ({ live }) => live?.endpoints.map(({ name, state }) => [Number(state === 'connected'), name]),
  },
  {
    name: 'pairwire_source_endpoint_latest_block',
    help: 'Newest slot that this endpoint was the first to deliver completely.',
    labels: ['endpoint'],
    read: ({ live }) => live?.endpoints.flatMap(({ name, slot }) => (slot === null ? [] : [[slot, name]])),
  },
  {
    name: 'pairwire_source_endpoint_info',
    help: 'Always 1; the version is the one the endpoint reports.',
    labels: ['endpoint', 'version'],
    read: ({ live }) =>
      live?.endpoints.flatMap(({ name, version }) => (version === null ? [] : [[1, name, version]])),
  },
  {
    name: 'pairwire_source_endpoint_trouble',
    help: '1 with what is wrong with the endpoint, as the log says it; absent while nothing is.',
    labels: ['endpoint', 'trouble'],
    read: ({ live }) =>
      live?.endpoints.flatMap(({ name, trouble }) => (trouble === null ? [] : [[1, name, trouble]])),
  },
  {
    name: 'pairwire_source_unreadable_total',
    help: 'Messages of the endpoint that could not be read.',
    labels: ['endpoint'],
    read: ({ live }) => live?.endpoints.map(({ name, unreadable = 0 }) => [unreadable, name]),
  },
  {
    name: 'pairwire_events_total',
    help: 'Events published since the start.',
    labels: ['exchange', 'kind'],
    read: ({ events }) =>
      Object.entries(events).flatMap(([exchange, { newPairs, swaps }]) => [
        [newPairs, exchange, 'newPair'],
        [swaps, exchange, 'swap'],
      ]),
  },
]

const PRICE: Rows = (
  [
    ['usd', 'US dollars for one token, as the pools agree; absent while unknown.', 'usdPerSol'],
    ['age_seconds', 'Block time since the newest trade behind the price.', 'ageSeconds'],
    ['spread_ratio', 'Share by which the highest pool of the price is above the lowest.', 'spread'],
    ['pools', 'Pools behind the price. Alarm on 0: swaps have no USD value.', 'pools'],
  ] as const
).map(([name, help, key]) => ({
  name: `pairwire_price_${name}`,
  help,
  labels: ['token'],
  read: ({ solPrice }) => {
    const value = key === 'pools' ? solPrice.pools.length : solPrice[key]
    return value === null ? [] : [[value, 'SOL']]
  },
}))

const METADATA: Rows = [
  {
    name: 'pairwire_pair_metadata_ratio',
    help: 'Share of the last 1,000 new pairs whose token was known within so many seconds.',
    labels: ['known', 'within'],
    read: ({ metadata }) =>
      metadata &&
      (
        [
          [metadata.nameWithin1s, 'name', '1s'],
          [metadata.nameWithin60s, 'name', '60s'],
          [metadata.pictureWithin1s, 'picture', '1s'],
          [metadata.pictureWithin60s, 'picture', '60s'],
          [metadata.bothWithin1s, 'both', '1s'],
          [metadata.bothWithin60s, 'both', '60s'],
        ] as const
      ).flatMap(([share, known, within]) => (share === null ? [] : [[share, known, within]])),
  },
  {
    name: 'pairwire_metadata_waiting',
    help: 'Mints waiting to be looked up on the chain, and token pages waiting to be read.',
    labels: ['of'],
    read: ({ metadata }) =>
      metadata && [
        [metadata.mintsWaiting, 'mints'],
        [metadata.pagesWaiting + metadata.pagesReading, 'pages'],
      ],
  },
]

const PROOF: Rows = [
  {
    name: 'pairwire_decoder_calls_total',
    help: 'Calls of the decoded programs, and whether their instruction is known.',
    labels: ['program', 'exchange', 'known'],
    read: ({ proof }) =>
      Object.entries(proof?.programs ?? {}).flatMap(([program, { exchange, understood, unknown }]) => [
        [understood, program, exchange, 'yes'],
        [unknown, program, exchange, 'no'],
      ]),
  },
  {
    name: 'pairwire_decoder_alarm',
    help: 'Share of the calls of a program that have become unknown; absent while all is as usual. Alarm on any.',
    labels: ['program', 'exchange'],
    read: ({ proof }) =>
      (proof?.decoderAlarms ?? []).map(({ share, program, exchange }) => [share, program, exchange]),
  },
  {
    name: 'pairwire_audit_events_total',
    help: 'Events of the chain that were compared with the published ones.',
    read: ({ proof }) => proof?.audit?.events ?? 0,
  },
  {
    name: 'pairwire_audit_faults_total',
    help: 'Events that were not published as the chain has them. Alarm on more than 0.',
    labels: ['kind'],
    read: ({ proof }) =>
      proof?.audit
        ? (['missing', 'extra', 'different'] as const).map((kind) => [proof.audit?.[kind] ?? 0, kind])
        : [],
  },
  {
    name: 'pairwire_gap_slots_total',
    help: 'Slots reported as gaps: upstream if the source did not deliver them, deploy if the service was down.',
    labels: ['cause'],
    read: ({ proof }) => Object.entries(proof?.gapSlots ?? {}).map(([cause, slots]) => [slots, cause]),
  },
]

function totalsOf({ totals, live }: SourceState): Readonly<Record<string, number>> {
  if (!live) return totals
  const { holesFilled, holesNotFilled, slotsMissed } = live
  return { ...totals, holesFilled, holesNotFilled, slotsMissed }
}

function inSeconds(milliseconds: number | null | undefined): number | undefined {
  return milliseconds == null ? undefined : milliseconds / 1_000
}

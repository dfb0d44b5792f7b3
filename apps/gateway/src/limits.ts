import { GATEWAY_LEASE_MS, STREAM_LIMITS } from '@pairwire/contract'

/** Every limit of the gateway. Production uses {@link DEFAULT_LIMITS}; tests and benchmarks pass their own. */
export type GatewayLimits = Readonly<{
  [Name in keyof typeof DEFAULT_LIMITS]: number
}>

/** The limits that the stream promises to clients, and internal ones. */
export const DEFAULT_LIMITS = {
  ...STREAM_LIMITS,

  /** Milliseconds between two heartbeats of a gateway, to wait for an answer to one, and for which its seats count after it. */
  seatBeatMs: 1_000,
  seatAnswerMs: 1_500,
  seatLeaseMs: GATEWAY_LEASE_MS,
  /**
   * Connections ended at a time when the gateway drains, and milliseconds between two such groups: no more than the
   * other gateways can admit while they send, so that each client is back at once.
   */
  drainGroup: 10,
  drainEveryMs: 100,

  /** Milliseconds for which events are collected under load and joined into one write per socket: longer saves writes, shorter saves latency. */
  windowMs: 10.5,
  /**
   * Milliseconds of rest that windows may owe before the next one waits: after a pause, the pieces of a slot leave as
   * they come, without a wait after the first.
   */
  restOwedMs: 40,
  /** Groups of clients whose windows end at different times. */
  shards: 8,
  /**
   * Milliseconds of a turn of the event loop during which a window sends; the rest follows in the next turn.
   */
  turnMs: 3,
  /** Events written in one turn of the loop; further ones wait for the next, so that sockets drain in between. */
  windowMaxEvents: 1_000,
  /** Bytes of memory that all clients together may leave unread; beyond it the fullest are dropped. */
  outboxesMaxBytes: 512 * 1024 * 1024,

  /** Recently sent events that are kept, so that a replay can join the live stream at them. */
  recentEvents: 2_048,
  /** Milliseconds during which resuming subscribes of a connection are collected, to be replayed together. */
  gatherMs: 20,
  /** Bytes that a replay writes at a time, and events that it examines: the next slice waits for the client. */
  replaySliceBytes: 64 * 1024,
  replaySliceEvents: 1_024,
  /** Most events with which a replay joins the live stream; all others wait while they are written. */
  seamEvents: 64,
  /** Bytes of all replays together in one turn of the loop, which bounds the wait of live clients. */
  replayTurnBytes: 128 * 1024,
  /** Bytes a second by which what an account spent on replays decays: those that have spent least go first. */
  replayForgivenPerSecond: 1024 * 1024,
  /** Pages read from the bus at a time for all replays. */
  replayReads: 2,
  /** Events of pages read for replays that are kept for others at the same cursor. */
  replayedEventsKept: 16_384,
  /** Milliseconds to wait for the archiver's state, and for a page: for the first one it scans an hour. */
  archiveStateMs: 3_000,
  archivePageMs: 20_000,
  /** Milliseconds between two checks for a cursor that is ahead. */
  aheadCheckMs: 50,

  /**
   * Milliseconds between two pings to a client that was sent more than `busyBytes` since the last: systems buffer
   * megabytes for a slow client, and only the pongs among them show that it is still reading.
   */
  busyPingEveryMs: 2_000,
  busyBytes: 64 * 1024,
  /** Milliseconds between two checks of the ping and idle times of a connection. */
  sweepEveryMs: 1_000,
  /** Milliseconds without progress after which a connection is cut earlier. */
  stalledMs: 5_000,
  /** Milliseconds that a refused client has to read its refusal, and any client at the end of the service. */
  closeGraceMs: 2_000,
  /** The same for a client that keeps sending instead; nothing more is read from it. */
  floodGraceMs: 300,
  /** Frames other than pongs accepted after the gateway's close, plus one a second; beyond that the client is cut. */
  framesAfterEnd: 20,

  /**
   * Bytes a second read of an account, answered or refused, and the burst. The excess waits in the client's own queue.
   * Twice the rate of requests, so that a client slightly over it gets a refusal and not a delay.
   */
  readingPerSecond: 2 * 1024 * 1024,
  readingBurst: 8 * 1024 * 1024,
  /** Bytes that must be available before reading resumes: a wait for each frame would cost more than the frame. */
  readingAfterRest: 64 * 1024,
  /** Bytes that any frame counts on top of its payload: a pong is as much work as a page of text. */
  frameReadingBytes: 2 * 1024,
  /** Extra bytes for a request beyond the rates, so that a client with far too many is read more slowly. */
  refusalReadingBytes: 6 * 1024,
  /** Bytes read of all clients in one turn of the loop, counted the same way: one of the largest frames, 1 ms. */
  turnBytes: 64 * 1024,

  /** New connections a second from one address; the burst is the same number. */
  connectsPerSecondPerAddress: 50,
  /** Keys, and addresses, whose rate is remembered; beyond that the oldest are forgotten. */
  rememberedRates: 50_000,
  /** Bytes read from a client whose upgrade was refused; beyond that the socket is cut. */
  refusedReadBytes: 64 * 1024,
  /** Upgrades being checked at a time; beyond that 503, since they all wait for the database. */
  pendingUpgrades: 1_000,
  /** Milliseconds to wait for the accounts before an upgrade is refused with 503. */
  authorizeTimeoutMs: 5_000,
  /** Milliseconds before something that the accounts refused or delayed is retried. */
  retryAfterMs: 1_000,
  /**
   * Milliseconds between two checks of the keys and plans of all connected accounts, since a message about a change may
   * be lost. With the wait for the accounts, a dead key is out within 9 s.
   */
  standingsEveryMs: 4_000,
  /**
   * Milliseconds between two reports of a gateway to the others of what accounts have spent: for that long each of them
   * may allow its own burst.
   */
  spentEveryMs: 250,
  /** Milliseconds between two writes of the event counts; a crash loses no more than that. */
  countEveryMs: 1_000,
  /** Milliseconds between two records that a connection is open; after a crash, it counts as ended at the last one. */
  noteEveryMs: 60_000,
} as const

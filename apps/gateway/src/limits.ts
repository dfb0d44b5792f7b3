import { GATEWAY_LEASE_MS, STREAM_LIMITS } from '@pairwire/contract'

/** Every bound of the gateway. Production takes {@link DEFAULT_LIMITS}; tests and benchmarks pass their own. */
export type GatewayLimits = Readonly<{
  [Name in keyof typeof DEFAULT_LIMITS]: number
}>

/** The bounds that the stream promises to clients, and those behind them. */
export const DEFAULT_LIMITS = {
  ...STREAM_LIMITS,

  /**
   * Milliseconds between two signs of life of a gateway, in which one is answered before it gives the next, and
   * for which its seats count after one.
   */
  seatBeatMs: 1_000,
  seatAnswerMs: 1_500,
  seatLeaseMs: GATEWAY_LEASE_MS,
  /**
   * Connections that are ended at a time when the gateway drains, and milliseconds between two such groups: no more than
   * the others let in beside what they send, so that each is back at once.
   */
  drainGroup: 10,
  drainEveryMs: 100,

  /** Milliseconds for which events are collected under load and then joined into one write per socket: a longer window saves writes, a shorter one latency. */
  windowMs: 10.5,
  /**
   * Milliseconds of rest that windows may owe before the next one waits: after a pause the pieces of a slot leave as they
   * come, without a wait after the first.
   */
  restOwedMs: 40,
  /** Shares of the clients whose windows end at times of their own. */
  shards: 8,
  /**
   * Milliseconds of a turn of the event loop for which a window sends: the rest of a longer one goes out in the next turn.
   */
  turnMs: 3,
  /** Events written in one turn of the loop; what is beyond waits for the next, so that sockets drain between. */
  windowMaxEvents: 1_000,
  /** Bytes of memory that all clients together may leave unread; beyond it the fullest are let go. */
  outboxesMaxBytes: 512 * 1024 * 1024,

  /** Events that were sent last and are kept, so that a replay can join the live stream at them. */
  recentEvents: 2_048,
  /** Milliseconds for which resuming subscribes of a connection are collected, to be replayed together. */
  gatherMs: 20,
  /** Bytes that a replay writes at a time, and events that it looks at: a client is given no more before it has taken them. */
  replaySliceBytes: 64 * 1024,
  replaySliceEvents: 1_024,
  /** Events with which a replay joins the live stream; they are written while all others wait. */
  seamEvents: 64,
  /** Bytes of all replays together in one turn of the loop; live clients wait no longer than that takes. */
  replayTurnBytes: 128 * 1024,
  /** Bytes a second by which an account is forgiven what its replays have spent: who has spent least goes first. */
  replayForgivenPerSecond: 1024 * 1024,
  /** Pages that are read from the bus at a time for all replays. */
  replayReads: 2,
  /** Events read for replays that are kept for others at the same place. */
  replayedEventsKept: 16_384,
  /** Milliseconds to wait for the archiver to say how it is, and to give a page: it looks through an hour for the first. */
  archiveStateMs: 3_000,
  archivePageMs: 20_000,
  /** Milliseconds between two looks for a cursor that is ahead. */
  aheadCheckMs: 50,

  /**
   * Milliseconds between two pings to a client that was sent more than so many bytes since the last: systems keep megabytes for a client
   * that is slow, and only the answers in them tell that it goes on reading.
   */
  busyPingEveryMs: 2_000,
  busyBytes: 64 * 1024,
  /** Milliseconds between two looks at the ping and idle times of a connection. */
  sweepEveryMs: 1_000,
  /** Milliseconds after which it is cut earlier when its client reads nothing more of that. */
  stalledMs: 5_000,
  /** Milliseconds that a refused client has to take its refusal, and any client at the end of the service. */
  closeGraceMs: 2_000,
  /** The same for a client that goes on sending instead; nothing is read from it any more meanwhile. */
  floodGraceMs: 300,
  /** Frames but pongs that may still come when we close, and one more a second; beyond it the client is cut. */
  framesAfterEnd: 20,

  /**
   * Bytes a second that are read of an account, answered or refused, and the burst. What is beyond waits in the
   * client's own queue. Twice the rate of requests, so that who is a little over it is told and not kept waiting.
   */
  readingPerSecond: 2 * 1024 * 1024,
  readingBurst: 8 * 1024 * 1024,
  /** Bytes that there must be again before more is read: a wait for each frame would cost more than the frame. */
  readingAfterRest: 64 * 1024,
  /** Bytes that a frame of any kind counts beside its payload: a pong is as much work as a page of text. */
  frameReadingBytes: 2 * 1024,
  /** Bytes that a request beyond the rates counts beside: so who sends far too many is read more slowly. */
  refusalReadingBytes: 6 * 1024,
  /** Bytes read of all clients in one turn of the loop, counted the same: one of the greatest frames, a millisecond. */
  turnBytes: 64 * 1024,

  /** New connections a second from one address; the burst is the same number. */
  connectsPerSecondPerAddress: 50,
  /** Keys, and addresses, whose rate is remembered; the oldest are forgotten beyond it. */
  rememberedRates: 50_000,
  /** Bytes read of a client whose upgrade was refused; beyond it the socket is cut. */
  refusedReadBytes: 64 * 1024,
  /** Upgrades being checked at a time; beyond it 503, since the database is what they wait for. */
  pendingUpgrades: 1_000,
  /** Milliseconds to wait for the accounts before an upgrade is refused with 503. */
  authorizeTimeoutMs: 5_000,
  /** Milliseconds before something that the accounts refused or delayed is tried again. */
  retryAfterMs: 1_000,
  /**
   * Milliseconds between two looks at the keys and plans of all accounts that are connected: a message that says of a
   * change may be lost. With the wait for the accounts that is at most 9 s, after which a dead key is out.
   */
  standingsEveryMs: 4_000,
  /**
   * Milliseconds between two times that a gateway tells the others what accounts have spent of their rates: so long each
   * of them may allow a burst of its own.
   */
  spentEveryMs: 250,
  /** Milliseconds between two writes of the event counts; a crash loses no more than that. */
  countEveryMs: 1_000,
  /** Milliseconds between two notes that a connection is still open; after a crash it counts as ended at the last. */
  noteEveryMs: 60_000,
} as const

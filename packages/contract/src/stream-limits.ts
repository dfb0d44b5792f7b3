/** Limits of the stream that the docs promise and the gateway enforces. */
export const STREAM_LIMITS = {
  /** Bytes of one frame from a client. A filter of 1,000 addresses takes 47 KB. */
  frameMaxBytes: 64 * 1024,
  /** Members, lists and objects in one frame; a request has some twenty. Parsing costs grow with their number. */
  frameMaxMembers: 256,
  /** Values in one frame. A frame of 64 KiB has room for 1,900 addresses. */
  frameMaxValues: 4_096,
  /** Fragments of one frame from a client; no honest client sends more. */
  frameMaxFragments: 1_024,
  /** Requests per second of an account, and the burst; beyond it each is answered -32029. */
  requestsPerSecond: 20,
  requestsBurst: 100,
  /** Bytes of requests per second of an account, and the burst; beyond it each request is answered -32029. */
  requestBytesPerSecond: 1024 * 1024,
  requestBytesBurst: 4 * 1024 * 1024,
  /** Resumes per minute of an account. */
  resumesPerMinute: 60,
  /**
   * Milliseconds for which a cursor may be ahead of this gateway before it is refused, or the stream away before the client
   * is disconnected.
   */
  aheadMs: 5_000,
  /** New connections per second with one key, and the burst. */
  connectsPerSecondPerKey: 1,
  connectsBurstPerKey: 10,
  /** Milliseconds between two pings to a client. */
  pingEveryMs: 20_000,
  /** Milliseconds in which a connection must show a sign of life when another one wants its seat. */
  probeMs: 2_000,
  /** Milliseconds without any frame from a client after which it counts as gone. */
  idleAfterMs: 60_000,
  /** Milliseconds that a closing connection may take for its queue, its closing frames and the client's answer. */
  drainMs: 60_000,
  /** Frames without a readable id within ten seconds; beyond it the connection is closed with 4000. */
  failuresPerTenSeconds: 20,
  /** Hours that a playback may span, its highest speed, and playbacks that a gateway sends at a time. */
  playbackHours: 24,
  playbackSpeed: 10,
  playbacks: 20,
  /** Milliseconds from the last subscribe of a playback to its start, and for which the archive may be away during it. */
  playbackBeginMs: 1_000,
  playbackAwayMs: 10_000,
  /** Bytes a client may leave unread before we let it go; beyond it, catching up costs more than a fresh start. */
  outboxMaxBytes: 4 * 1024 * 1024,
} as const

/** Limits of the source that the docs promise and the ingest enforces. */
export const SOURCE_LIMITS = {
  /** Milliseconds that the stream waits for the next block after a hole before it announces a gap. */
  holeWaitMs: 10_000,
  /** Milliseconds for which a new pair is followed, and updated as its token's details become known. */
  pairFollowedMs: 60_000,
} as const

/** The same in words for people. */
export const STREAM_LIMIT_WORDS = {
  frame: `${STREAM_LIMITS.frameMaxBytes / 1024} KiB`,
  fragments: STREAM_LIMITS.frameMaxFragments.toLocaleString('en-US'),
  values: STREAM_LIMITS.frameMaxValues.toLocaleString('en-US'),
  requestBytes: inMebibytes(STREAM_LIMITS.requestBytesPerSecond),
  requestBytesBurst: inMebibytes(STREAM_LIMITS.requestBytesBurst),
  outbox: inMebibytes(STREAM_LIMITS.outboxMaxBytes),
  ahead: STREAM_LIMITS.aheadMs / 1000,
  ping: STREAM_LIMITS.pingEveryMs / 1000,
  probe: STREAM_LIMITS.probeMs / 1000,
  holeWait: SOURCE_LIMITS.holeWaitMs / 1000,
  pairFollowed: SOURCE_LIMITS.pairFollowedMs / 1000,
  idle: STREAM_LIMITS.idleAfterMs / 1000,
  drain: STREAM_LIMITS.drainMs / 1000,
} as const

function inMebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`
}

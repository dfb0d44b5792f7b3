/** A faultless double; each fault may be set while it serves, and applies from then on. */
export function noFaults() {
  return {
    /** Share of messages sent twice. */
    repeats: 0,
    /**
     * Distance by which a message may come early or late, even across the end of a slot. The end of a slot comes after
     * all of its transactions.
     */
    reorder: 0,
    /** Share of streams that begin in the middle of a slot, with some of its messages. */
    midSlots: 0,
    /** Share of transactions sent after the end of their slot, against the server's own promise. */
    lateTransactions: 0,
    /** Share of slots whose confirmation is never sent. */
    lostVotes: 0,
    /** Whether it sends no slot statuses at all. */
    hidesSlots: false as boolean,
    /** Share of slots whose block meta is never sent. */
    lostMetas: 0,
    /** Share of banks that die without a message. */
    silentDeaths: 0,
    /** Share of slots of which nothing is sent. */
    lostBlocks: 0,
    /** Share of messages after which the connection breaks. */
    drops: 0,
    /** Share of slots whose block meta comes before their last transactions. */
    earlyMetas: 0,
    /** Share of transactions sent truncated, so that they are unreadable. */
    malformed: 0,
    /** Bytes of padding in each block's first message; 0 for none. */
    padding: 0,
    /** Whether dead banks are sent like others, except for their confirmation. */
    sendsDeadBanks: false as boolean,
    /** Whether messages omit the number of their bank. */
    hidesBanks: false as boolean,
    /** Whether it sends nothing more and keeps the connection open. */
    isSilent: false as boolean,
    /** How it answers a request for history. */
    replay: 'served' as 'served' | 'refused' | 'off' | 'ignored' | 'stalled',
    /** Blocks held for replay and for RPC. */
    history: 150,
    /** Whether new streams are refused as lagging. */
    lagsOut: false as boolean,
    /** Whether every call is answered with "unavailable". */
    isDown: false as boolean,
    /** The only token accepted; undefined accepts all. */
    token: undefined as string | undefined,
    /** JSON-RPC calls a second above which it refuses with `tooFast`; 0 for no limit. */
    callsPerSecond: 0,
    /** How it refuses: with HTTP 429, with an error under HTTP 200, or with the code for a skipped slot. */
    tooFast: 'http' as 'http' | 'error' | 'skippedCode',
    /** Share of JSON-RPC answers that are an internal error. */
    rpcErrors: 0,
    /** Subscriptions of its websocket above which it refuses one. */
    maxSubscriptions: Number.POSITIVE_INFINITY,
    /** Share of log notifications whose logs are cut in half. */
    truncatedLogs: 0,
  }
}

/** The faults of a double. */
export type Faults = ReturnType<typeof noFaults>

/** Creates reproducible random numbers from 0 to 1, unlike each other from the first on, also for seeds that are neighbours. */
export function createRandom(seed: number): () => number {
  let state = Number((BigInt(seed >>> 0) * 2_654_435_761n) % 0x7fffffffn) || 1
  return () => {
    state = Number((BigInt(state) * 48_271n) % 0x7fffffffn)
    return state / 0x7fffffff
  }
}

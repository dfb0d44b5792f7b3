/** A double that does nothing wrong; each fault may be set while it serves, and counts for what comes after. */
export function noFaults() {
  return {
    /** Part of the messages that are sent twice. */
    repeats: 0,
    /**
     * Messages by which one may come early or late, also across the end of a slot. What ends a slot comes after all of
     * its transactions.
     */
    reorder: 0,
    /** Part of the streams that begin in the middle of a slot, with a part of its messages. */
    midSlots: 0,
    /** Part of the transactions that come after what ends their slot, against the server's own promise. */
    lateTransactions: 0,
    /** Part of the slots whose confirmation is never sent. */
    lostVotes: 0,
    /** Whether it sends no word of slots whatever. */
    hidesSlots: false as boolean,
    /** Part of the slots whose block meta is never sent. */
    lostMetas: 0,
    /** Part of the banks that die without a word. */
    silentDeaths: 0,
    /** Part of the slots of which nothing is sent. */
    lostBlocks: 0,
    /** Part of the messages after which the connection breaks off. */
    drops: 0,
    /** Part of the slots whose block meta comes before their last transactions. */
    earlyMetas: 0,
    /** Part of the transactions that are sent cut short, so that no reader can read them. */
    malformed: 0,
    /** Bytes by which each block's first message is padded; 0 for none. */
    padding: 0,
    /** Whether banks that died are sent like others, but for their confirmation. */
    sendsDeadBanks: false as boolean,
    /** Whether messages carry the number of their bank. */
    hidesBanks: false as boolean,
    /** Whether it sends nothing any more and keeps the line open. */
    isSilent: false as boolean,
    /** How it answers a request for history. */
    replay: 'served' as 'served' | 'refused' | 'off' | 'ignored' | 'stalled',
    /** Blocks that it holds for replay and for RPC. */
    history: 150,
    /** Whether new streams are told that they lag. */
    lagsOut: false as boolean,
    /** Whether every call is answered with "unavailable". */
    isDown: false as boolean,
    /** The only token that is let in; undefined lets everyone in. */
    token: undefined as string | undefined,
    /** Calls of JSON-RPC a second beyond which it refuses with `tooFast`; 0 for no bound. */
    callsPerSecond: 0,
    /** How it says so: by HTTP 429, by an error under HTTP 200, or there by the code that others use for a skipped slot. */
    tooFast: 'http' as 'http' | 'error' | 'skippedCode',
    /** Part of the answers of JSON-RPC that are an internal error. */
    rpcErrors: 0,
    /** Subscriptions of its websocket beyond which it refuses one. */
    maxSubscriptions: Number.POSITIVE_INFINITY,
    /** Part of the notifications of logs whose logs are cut off after their first half. */
    truncatedLogs: 0,
  }
}

/** What a double does wrong. */
export type Faults = ReturnType<typeof noFaults>

/** Random numbers from 0 to 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = (seed >>> 0) % 0x7fffffff || 1
  return () => {
    state = Number((BigInt(state) * 48_271n) % 0x7fffffffn)
    return state / 0x7fffffff
  }
}

/** What a double does wrong; each may be set while it serves, and counts for what comes after. */
export type Faults = {
  /** Part of the messages that are sent twice. */
  repeats: number
  /**
   * Messages by which one may come early or late, also across the end of a slot. What ends a slot comes after all of
   * its transactions.
   */
  reorder: number
  /** Part of the streams that begin in the middle of a slot, with a part of its messages. */
  midSlots: number
  /** Part of the transactions that come after what ends their slot, against the server's own promise. */
  lateTransactions: number
  /** Part of the slots whose confirmation is never sent. */
  lostVotes: number
  /** Whether it sends no word of slots whatever. */
  hidesSlots: boolean
  /** Part of the slots whose block meta is never sent. */
  lostMetas: number
  /** Part of the banks that die without a word. */
  silentDeaths: number
  /** Part of the slots of which nothing is sent. */
  lostBlocks: number
  /** Part of the messages after which the connection breaks off. */
  drops: number
  /** Part of the slots whose block meta comes before their last transactions. */
  earlyMetas: number
  /** Part of the transactions that are sent cut short, so that no reader can read them. */
  malformed: number
  /** Bytes by which each block's first message is padded; 0 for none. */
  padding: number
  /** Whether banks that died are sent like others, but for their confirmation. */
  sendsDeadBanks: boolean
  /** Whether messages carry the number of their bank. */
  hidesBanks: boolean
  /** Whether it sends nothing any more and keeps the line open. */
  isSilent: boolean
  /** How it answers a request for history. */
  replay: 'served' | 'refused' | 'off' | 'ignored' | 'stalled'
  /** Blocks that it holds for replay and for RPC. */
  history: number
  /** Whether new streams are told that they lag. */
  lagsOut: boolean
  /** Whether every call is answered with "unavailable". */
  isDown: boolean
  /** The only token that is let in; undefined lets everyone in. */
  token: string | undefined
  /** Calls of JSON-RPC a second beyond which it refuses with `tooFast`; 0 for no bound. */
  callsPerSecond: number
  /** How it says so: by HTTP 429, by an error under HTTP 200, or there by the code that others use for a skipped slot. */
  tooFast: 'http' | 'error' | 'skippedCode'
  /** Part of the answers of JSON-RPC that are an internal error. */
  rpcErrors: number
  /** Subscriptions of its websocket beyond which it refuses one. */
  maxSubscriptions: number
  /** Part of the notifications of logs whose logs are cut off after their first half. */
  truncatedLogs: number
}

/** A double that does nothing wrong. */
export function noFaults(): Faults {
  return {
    repeats: 0,
    reorder: 0,
    midSlots: 0,
    lateTransactions: 0,
    lostVotes: 0,
    hidesSlots: false,
    lostMetas: 0,
    silentDeaths: 0,
    lostBlocks: 0,
    drops: 0,
    earlyMetas: 0,
    malformed: 0,
    padding: 0,
    sendsDeadBanks: false,
    hidesBanks: false,
    isSilent: false,
    replay: 'served',
    history: 150,
    lagsOut: false,
    isDown: false,
    token: undefined,
    callsPerSecond: 0,
    tooFast: 'http',
    rpcErrors: 0,
    maxSubscriptions: Number.POSITIVE_INFINITY,
    truncatedLogs: 0,
  }
}

/** Random numbers from 0 to 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = (seed >>> 0) % 0x7fffffff || 1
  return () => {
    state = Number((BigInt(state) * 48_271n) % 0x7fffffffn)
    return state / 0x7fffffff
  }
}

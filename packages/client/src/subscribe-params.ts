/** Accounts to filter swaps by: a swap matches if it touches any of them. */
type AccountLists = Readonly<{
  ammAccount?: readonly string[]
  walletAccount?: readonly string[]
  baseTokenMint?: readonly string[]
}>

/** Hours of the archive to replay. */
export type Replay = Readonly<{ from: string; to?: string; speed?: number }>

type Common = Readonly<{
  /** `processed` sends events as they are executed; they cannot be resumed. */
  commitment?: 'confirmed' | 'processed'
  replay?: Replay
  /** Adds `receivedAt` and `sentAt` to each event. */
  timestamps?: boolean
  /** Adds `facts` to each event. */
  facts?: boolean
  sourceExchange?: readonly string[]
}>

/** `params` of a stream of swaps, as on the wire; the service validates them. */
export type SwapParams = Common &
  Readonly<{
    /** `usdValue`: worth at least this many US dollars. */
    include?: AccountLists & Readonly<{ usdValue?: number }>
    exclude?: AccountLists
    /** `all` requires every field of `include` to match. */
    match?: 'any' | 'all'
    swapType?: readonly ('buy' | 'sell')[]
  }>

/** `params` of a stream of new pairs. */
export type NewPairParams = Common &
  Readonly<{
    /** Includes pairs on launchpads' curves. */
    include_launchpad_tokens?: boolean
    /** Goes before the flag: new curves, pools that curves moved to, and other new pools. */
    stage?: readonly ('launched' | 'migrated' | 'listed')[]
    /** Wallets that created the pair. */
    creator?: readonly string[]
  }>

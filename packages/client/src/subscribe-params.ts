/** Accounts to filter swaps by: a swap matches if it touches any of them. */
type AccountLists = Readonly<{
  ammAccount?: readonly string[] | undefined
  walletAccount?: readonly string[] | undefined
  baseTokenMint?: readonly string[] | undefined
}>

/** Hours of the archive to replay. */
export type Replay = Readonly<{ from: string; to?: string | undefined; speed?: number | undefined }>

type Common = Readonly<{
  /** `processed` sends events as they are executed; they cannot be resumed. */
  commitment?: 'confirmed' | 'processed' | undefined
  replay?: Replay | undefined
  /** Adds `receivedAt` and `sentAt` to each event. */
  timestamps?: boolean | undefined
  /** Adds `facts` to each event. */
  facts?: boolean | undefined
  sourceExchange?: readonly string[] | undefined
}>

/** `params` of a stream of swaps, as on the wire; the service validates them. */
export type SwapParams = Common &
  Readonly<{
    /** `usdValue`: worth at least this many US dollars. */
    include?: (AccountLists & Readonly<{ usdValue?: number | undefined }>) | undefined
    exclude?: AccountLists | undefined
    /** `all` requires every field of `include` to match. */
    match?: 'any' | 'all' | undefined
    swapType?: readonly ('buy' | 'sell')[] | undefined
  }>

/** `params` of a stream of new pairs. */
export type NewPairParams = Common &
  Readonly<{
    /** Includes pairs on launchpads' curves. */
    include_launchpad_tokens?: boolean | undefined
    /** Goes before the flag: new curves, pools that curves moved to, and other new pools. */
    stage?: readonly ('launched' | 'migrated' | 'listed')[] | undefined
    /** Wallets that created the pair. */
    creator?: readonly string[] | undefined
  }>

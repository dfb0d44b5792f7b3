/** Accounts by which swaps are chosen: those that touch any of them. */
type AccountLists = Readonly<{
  ammAccount?: readonly string[]
  walletAccount?: readonly string[]
  baseTokenMint?: readonly string[]
}>

/** Hours of the archive to play again. */
export type Replay = Readonly<{ from: string; to?: string; speed?: number }>

type Common = Readonly<{
  /** `processed` sends events as they are executed; they cannot be resumed. */
  commitment?: 'confirmed' | 'processed'
  replay?: Replay
  /** Adds `receivedAt` and `sentAt` to each event. */
  timestamps?: boolean
  sourceExchange?: readonly string[]
}>

/** `params` of a stream of swaps: the wire's own, which the service alone judges. */
export type SwapParams = Common &
  Readonly<{
    /** `usdValue`: worth at least so many US dollars. */
    include?: AccountLists & Readonly<{ usdValue?: number }>
    exclude?: AccountLists
    /** `all` asks for every field of `include` at once. */
    match?: 'any' | 'all'
    swapType?: readonly ('buy' | 'sell')[]
  }>

/** `params` of a stream of new pairs. */
export type NewPairParams = Common &
  Readonly<{
    /** Also those on launchpads' curves. */
    include_launchpad_tokens?: boolean
  }>

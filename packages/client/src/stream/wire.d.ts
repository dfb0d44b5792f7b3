// Made of the contract's schemas and docs/site/parts/fields.md: `npx vitest run packages/client -u` updates it.

export interface SwapParams {
  /**
   * The slot of the block that holds the event.
   */
  slot: number
  /**
   * The transaction; any explorer can show it. One transaction can hold several events.
   */
  signature: string
  /**
   * Unix seconds, by the ledger’s clock.
   */
  blockTime: number
  swap: {
    /**
     * The exchange of the trade. New names may appear at any time.
     */
    sourceExchange: string
    /**
     * The launchpad, if the trade is on a curve. Null or absent if unknown, and on pools.
     */
    launchpad?: string | null
    /**
     * The pool or curve.
     */
    ammAccount: string
    /**
     * The token bought or sold.
     */
    baseTokenMint: string
    /**
     * The token paid with.
     */
    quoteTokenMint: string
    /**
     * The trader: the swap’s authority if it signed, otherwise the payer of the fee.
     */
    walletAccount: string
    /**
     * Price of one whole base token in the quote token. May be in scientific notation; never empty.
     */
    quotePrice: string
    /**
     * The value of the swap in US dollars. Null, which is not zero, if the quote token had no known price in the last minute.
     */
    usdValue: number | null
    /**
     * Raw units of the base token that went through the pool.
     */
    baseAmount: string
    /**
     * Raw units of the quote token.
     */
    quoteAmount: string
    /**
     * What the wallet did with the base token.
     */
    swapType: 'buy' | 'sell'
    /**
     * Raw units of the quote token in the pool after the swap. Empty if unknown.
     */
    quoteTokenLiquidity: string | ''
  }
}

export interface NewPairParams {
  /**
   * The slot of the block that holds the event.
   */
  slot: number
  /**
   * The transaction; any explorer can show it. One transaction can hold several events.
   */
  signature: string
  /**
   * Unix seconds, by the ledger’s clock.
   */
  blockTime: number
  pair: {
    /**
     * Where the pair trades. New names may appear at any time.
     */
    sourceExchange: string
    /**
     * The launchpad that opened the curve or the pool. New names may appear. Null or absent if none or unknown.
     */
    launchpad?: string | null
    /**
     * The pool, or the curve on a launchpad.
     */
    ammAccount: string
    baseToken: {
      /**
       * The mint of the traded token.
       */
      account: string
      /**
       * What the service knows about the mint. Null for wrapped SOL, and while decimals or supply are unknown, for example for a token older than the service.
       */
      info: {
        /**
         * Divide raw units by 10 to this power.
         */
        decimals: number
        /**
         * Current supply in raw units, from the mints and burns that the service saw or from the chain. A string, because it can be too large for a number.
         */
        supply: string
        /**
         * The token’s own name, symbol and links. Null while unknown.
         */
        metadata: {
          /**
           * Anyone can launch a token with any name. Show it as plain text, and tell tokens apart by their mint.
           */
          name: string
          /**
           * Anyone can choose any symbol, too.
           */
          symbol: string
          /**
           * URL of a picture. A stranger chose it. Usually null at first: it arrives later.
           */
          logo: string | null
          /**
           * `website`, `x` and `telegram`, each a string or null.
           */
          socials: {
            website: string | null
            x: string | null
            telegram: string | null
          } | null
        } | null
        /**
         * Who can make more of the token. Null if nobody can.
         */
        mintAuthority: string | null
        /**
         * Who can freeze holders’ tokens. Null if nobody can.
         */
        freezeAuthority: string | null
      } | null
    }
    /**
     * The token that the price is in, in the same form.
     */
    quoteToken: {
      account: string
      info: {
        decimals: number
        supply: string
        metadata: {
          name: string
          symbol: string
          logo: string | null
          socials: {
            website: string | null
            x: string | null
            telegram: string | null
          } | null
        } | null
        mintAuthority: string | null
        freezeAuthority: string | null
      } | null
    }
    /**
     * Raw units of the token that the pool received, or that the curve held, at creation.
     */
    baseTokenLiquidityAdded: string
    /**
     * The same for the quote token. "0" for a curve: its reserves are virtual.
     */
    quoteTokenLiquidityAdded: string
    /**
     * The launchpad that the token graduated from: `pumpfun`, `raydium_launchpad` or `meteora_dbc`.
     */
    migration: ('pumpfun' | 'raydium_launchpad' | 'meteora_dbc') | null
  }
}

export interface LatestBlockParams {
  /**
   * The slot of the block.
   */
  block: number
  /**
   * Unix seconds, by the ledger’s clock.
   */
  blockTime: number
}

export interface PairUpdateParams {
  ammAccount: string
  baseToken: {
    account: string
    info: {
      decimals: number
      supply: string
      metadata: {
        name: string
        symbol: string
        logo: string | null
        socials: {
          website: string | null
          x: string | null
          telegram: string | null
        } | null
      } | null
      mintAuthority: string | null
      freezeAuthority: string | null
    } | null
  }
}

export interface SwapFacts {
  /**
   * The supply at the price of the curve’s reserves, else of this swap, in whole quote tokens, to their raw unit.
   */
  marketCap: string | null
  /**
   * Raw base tokens of the wallet, in all its accounts, after the transaction.
   */
  walletBalance: string | null
  /**
   * The curve after it; null off curves.
   */
  curve: {
    /**
     * Per cent, two decimals. Known on pump.fun’s usual curves, LaunchLab and Meteora DBC.
     */
    progress: number | null
    /**
     * Whether this swap filled it. The pool follows as a new pair with `migration`.
     */
    complete: boolean | null
    /**
     * Raw units; `virtualQuote` / `virtualBase` is the price.
     */
    virtualBase: string | null
    /**
     * Known on pump.fun, and on LaunchLab after a trade.
     */
    virtualQuote: string | null
  } | null
}

export interface NewPairFacts {
  /**
   * Whom the program names as creator, else who paid for the creation.
   */
  creator: string | null
  /**
   * The token’s page. A stranger chose it.
   */
  uri: string | null
  /**
   * The creator’s buys in the creating transaction, summed: `baseAmount`, `quoteAmount`, `usdValue`, `supplyShare` (0 to 1). Null for none.
   */
  creatorBuy: {
    baseAmount: string
    quoteAmount: string
    usdValue: number | null
    supplyShare: number | null
  } | null
  /**
   * Other wallets that bought in the slot of creation. Null ahead of confirmation, and if the service reads the chain from logs.
   */
  slotBuyers: number | null
  /**
   * What they hold of that at the end of the slot, as a share of the supply, 0 to 1.
   */
  slotBuyShare: number | null
  /**
   * The curve after it; null off curves.
   */
  curve: {
    /**
     * Per cent, two decimals. Known on pump.fun’s usual curves, LaunchLab and Meteora DBC.
     */
    progress: number | null
    /**
     * Whether this swap filled it. The pool follows as a new pair with `migration`.
     */
    complete: boolean | null
    /**
     * Raw units; `virtualQuote` / `virtualBase` is the price.
     */
    virtualBase: string | null
    /**
     * Known on pump.fun, and on LaunchLab after a trade.
     */
    virtualQuote: string | null
  } | null
  /**
   * The supply at the price of the curve’s reserves, else of this swap, in whole quote tokens, to their raw unit.
   */
  marketCap: string | null
}

import {
  type NewPairFacts,
  type Notification,
  type PairUpdateNotification,
  type SlotDroppedNotification,
  type SwapFacts,
  WRAPPED_SOL,
} from '@pairwire/contract'

// Frames from the simulated market: tokens, wallets and prices in them are made up.

/** A token that appears on a launchpad's curve. */
export const NEW_PAIR_FRAME = {
  subscription_id: 1,
  method: 'newPairNotification',
  params: {
    slot: 431_766_575,
    signature: 'FzkFbzsgRUmC1hsDbqKes78TnitUKp5Bp6vvUugaJ7dbiLkGrm9u6fdzQGFTMnf1KGgWPr2aWRGQuKqY9zuZTUr',
    blockTime: 1_795_212_230,
    pair: {
      sourceExchange: 'pumpfun',
      launchpad: 'pumpfun',
      ammAccount: '6MciSPuws731uLExqotSqqgbw6XRo7na8AkoRCnYG8x7',
      baseToken: {
        account: 'ABdYUxGkX9cUmryG651xma86eZn9TEH3nLtEbgscxiyC',
        info: {
          decimals: 6,
          supply: '1000000000000000',
          metadata: {
            name: 'Harbour Cat',
            symbol: 'HARB',
            logo: null,
            socials: null,
          },
          mintAuthority: null,
          freezeAuthority: null,
        },
      },
      quoteToken: { account: WRAPPED_SOL, info: null },
      baseTokenLiquidityAdded: '1000000000000000',
      quoteTokenLiquidityAdded: '0',
      migration: null,
    },
  },
  cursor: '000000001-000431766575-000000-0000',
} as const satisfies Notification

/** The same pair, once its token's picture and links are known. */
export const PAIR_UPDATE_FRAME = {
  method: 'pairUpdateNotification',
  params: {
    subscription_id: 1,
    ammAccount: NEW_PAIR_FRAME.params.pair.ammAccount,
    baseToken: {
      account: NEW_PAIR_FRAME.params.pair.baseToken.account,
      info: {
        ...NEW_PAIR_FRAME.params.pair.baseToken.info,
        metadata: {
          name: 'Harbour Cat',
          symbol: 'HARB',
          logo: 'https://harb.example/cat.png',
          socials: { website: 'https://harb.example', x: null, telegram: null },
        },
      },
    },
  },
} as const satisfies PairUpdateNotification

/** A purchase in a pool. */
export const SWAP_FRAME = {
  subscription_id: 2,
  method: 'swapNotification',
  params: {
    slot: 431_766_574,
    signature: '3PPqTrZKhMg4AcqNJrwctc9UHHa4yUnMDUQ9qXtnfPTyC8ccHnfvhtxAXsF3VAVZ1qbph1VML9Ebt77BiHJXe62Q',
    blockTime: 1_795_212_229,
    swap: {
      sourceExchange: 'pumpswap',
      launchpad: null,
      ammAccount: 'GmAz3P2hrQGvf1RbzyBsjCquSrXCViAexejBtek71oi3',
      baseTokenMint: 'CxhJddDHV9jiDCSUTz7iDMhgugPRKJmwv3U5aLd7pMYe',
      quoteTokenMint: WRAPPED_SOL,
      walletAccount: 'CX94qdtrfKrhHuttrFxhyDDQM5TgCwoxCaP8uB1MzNhM',
      quotePrice: '0.0000254312180062092',
      usdValue: 3597.116737,
      baseAmount: '837465666206',
      quoteAmount: '21297771930',
      swapType: 'buy',
      quoteTokenLiquidity: '2252875459426',
    },
  },
  cursor: '000000001-000431766574-000019-0000',
} as const satisfies Notification

/** Facts, beside the cursor. The frames around them are shortened. */
const SWAP_FACTS = {
  marketCap: '25431.2180062092',
  walletBalance: '837465666206',
  curve: null,
} as const satisfies SwapFacts

const PAIR_FACTS = {
  creator: SWAP_FRAME.params.swap.walletAccount,
  uri: 'https://harb.example/harb.json',
  creatorBuy: {
    baseAmount: '34277831558567',
    quoteAmount: '990000000',
    usdValue: 164.34,
    supplyShare: 0.034277831,
  },
  slotBuyers: 3,
  slotBuyShare: 0.081205114,
  curve: {
    progress: 4.32,
    complete: false,
    virtualBase: '1038722168441433',
    virtualQuote: '30990000000',
  },
  marketCap: '29.8347345678912',
} as const satisfies NewPairFacts

const { cursor: _, params: swapParams, ...swapFrame } = SWAP_FRAME

/** The same before it is confirmed. */
const EARLY_FRAME = {
  ...swapFrame,
  commitment: 'processed',
  params: swapParams,
} as const satisfies Notification

/** Its retraction: it is not on the chain after all. */
export const SLOT_DROPPED_FRAME = {
  method: 'slotDroppedNotification',
  params: { subscription_id: 2, slot: swapParams.slot, signatures: [swapParams.signature] },
} as const satisfies SlotDroppedNotification

/** A block. */
export const LATEST_BLOCK_FRAME = {
  subscription_id: 3,
  method: 'latestBlockNotification',
  params: { block: 431_766_574, blockTime: 1_795_212_229 },
  cursor: '000000001-000431766574-999999-9000',
} as const satisfies Notification

/** All of them, by the names used in the docs. */
export const EXAMPLE_FRAMES = {
  pair: NEW_PAIR_FRAME,
  swap: SWAP_FRAME,
  block: LATEST_BLOCK_FRAME,
  update: PAIR_UPDATE_FRAME,
  early: EARLY_FRAME,
  dropped: SLOT_DROPPED_FRAME,
  swapFacts: shortened(SWAP_FRAME, SWAP_FACTS),
  pairFacts: shortened(NEW_PAIR_FRAME, PAIR_FACTS),
} as const

/** A frame with facts, without its `params`. */
function shortened({ method, cursor }: Readonly<{ method: string; cursor: string }>, facts: object) {
  return { subscription_id: 1, method, params: {}, cursor, facts }
}

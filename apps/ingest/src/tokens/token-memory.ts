import { setImmediate } from 'node:timers/promises'
import type { Log } from '@pairwire/basics'
import { encodeBase58, QUOTE_MINTS } from '@pairwire/contract'
import type { DecodedToken, TokenChange } from '@pairwire/decoders'
import {
  type ChainPoint,
  comparePoints,
  type Description,
  type KnownToken,
  readToken,
  readTokenKey,
  type TokenKey,
  writeForgotten,
  writeToken,
} from './known-token.ts'
import { createPlaceIndex } from './place-index.ts'
import type { LogRecord } from './record-line.ts'
import { RecordLog, type RecordReader } from './record-log.ts'
import {
  type ChainToken,
  firstTold,
  isOneOfAKind,
  type Moment,
  newToken,
  type PageTexts,
  withAccounts,
  withChange,
  withPage,
  withPair,
} from './tell-token.ts'

/**
 * What is known of tokens, as far as their transactions were handed to ingest: kept across restarts, bounded, the
 * tokens that were touched longest ago going first. Each is a record of a log, found by an index in memory, which
 * has the newest record of every mint and of every account of its metadata.
 */
export type TokenMemory = Readonly<{
  /** Takes in what a transaction did. Call it in chain order; what was taken in before is left alone. */
  apply(changes: readonly TokenChange[], at: Moment): void
  /**
   * A token of a new pair with all that is known of it, which from then on includes what the pair tells, and the
   * `launchpad` of the pair.
   */
  complete(token: DecodedToken, at: Moment, launchpad?: string | null): DecodedToken | KnownToken
  /** The same of a pair ahead of its block: nothing is taken in. */
  preview(token: DecodedToken, launchpad?: string | null): DecodedToken | KnownToken
  /** These mints are asked of the chain now, in place of those before: changes of them meanwhile are noted. */
  expect(mints: readonly string[]): void
  /**
   * Takes in what the chain's accounts say of an expected mint, as it stood after `at`. False where that was overtaken
   * by a change that could not be followed: then it has to be asked again.
   */
  learn(token: ChainToken, at: Moment): boolean
  /**
   * Takes in what the page at `uri` tells, and its name and symbol where the chain has none; false when the token has
   * another page by now, or is not known any more.
   */
  describe(mint: string, uri: string, description: Description, texts?: PageTexts): boolean
  /** What is known of this mint. */
  find(mint: string): KnownToken | undefined
  /**
   * Sends to the disk what a block changed and lets go of what is beyond the bounds. Nobody has to wait for it.
   *
   * @returns what resolves once that is done, as far as the disk allows; it never rejects
   */
  settle(): Promise<void>
  /** Tokens that it knows, and bytes that their records take. */
  size(): Readonly<{ tokens: number; bytes: number }>
  /** Resolves once everything is on the disk. */
  close(): Promise<void>
}>

/** What {@link openTokenMemory} needs. */
export type TokenMemoryOptions = Readonly<{
  /** Folder of its own. */
  folder: string
  /** What kind of source hands in the transactions: what is known from one kind says nothing of another's chain. */
  source: 'chain' | 'recording' | 'simulator'
  log: Log
  bounds?: TokenBounds
  /** Bytes of each of its files. */
  segmentBytes?: number
}>

/** How much is kept. */
type TokenBounds = Readonly<{
  tokens: number
  /** Of records, those that were overtaken included. */
  bytes: number
}>

/** A month of the chain's new tokens, in less than a gigabyte. */
const ON_DISK: TokenBounds = { tokens: 1_000_000, bytes: 800 * 1024 * 1024 }
/** Where there is no disk for it. */
const IN_MEMORY: TokenBounds = { tokens: 40_000, bytes: 32 * 1024 * 1024 }

/** Version of the records' form. */
const FORMAT = 'pairwire tokens 1'

/** By how much the bound of tokens is passed at most while the oldest are being let go. */
const SLACK = 1.1

/** Share of all records that may still count for the oldest to be written anew, since that frees space later. */
const COMPACTION_SHARE = 0.5

/** Records looked at at a stretch when a file is let go. */
const RECORDS_PER_TURN = 500

/**
 * Opens the memory in its folder with what an earlier process left there. A folder that cannot be used is said, and
 * the memory then lasts as long as the process.
 */
export async function openTokenMemory(options: TokenMemoryOptions): Promise<TokenMemory> {
  const { folder, source, log, bounds = ON_DISK, segmentBytes } = options
  const records = new RecordLog({
    folder,
    head: `${FORMAT} ${source}`,
    log,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  })
  const { memory, reader } = createMemory(records, bounds, log)
  try {
    await records.load(reader)
    return memory
  } catch (error) {
    log.warn(
      'The folder of known tokens cannot be used: the service keeps them in memory until the next start.',
      {
        folder,
        error: String(error),
      },
    )
    return createTokenMemory(log)
  }
}

/** A smaller memory, for as long as the process lasts. */
export function createTokenMemory(log: Log, bounds = IN_MEMORY): TokenMemory {
  return createMemory(new RecordLog({ folder: undefined, head: FORMAT, log }), bounds, log).memory
}

function createMemory(
  records: RecordLog,
  bounds: TokenBounds,
  log: Log,
): { memory: TokenMemory; reader: RecordReader } {
  const most = Math.ceil(bounds.tokens * SLACK)
  // A token is found by its mint and by the account of its metadata.
  const index = createPlaceIndex(most * 2)
  let tokens = 0
  /** Records in the log, those that were overtaken included. */
  let written = 0
  let reclaiming: Promise<void> | undefined
  /** The mints that are being asked of the chain, each with the last change that could not be followed. */
  let expected = new Map<string, ChainPoint | null>()

  const append = (record: LogRecord): number | undefined => {
    const place = records.append(record)
    if (place !== undefined) written++
    return place
  }

  const readAt = (place: number): KnownToken | undefined => {
    const record = place === 0 ? undefined : records.read(place)
    return record === undefined ? undefined : readToken(record)
  }

  const readOf = (account: string) => readAt(index.get(account))

  /** A token by its mint or by the account of its metadata, where that is still its newest one. */
  const find = (account: string): KnownToken | undefined => {
    const token = readOf(account)
    if (token === undefined || token.mint === account) return token
    const newest = readOf(token.mint)
    return newest?.metadataAccount === account ? newest : undefined
  }

  const put = (mint: string, metadataAccount: string | null, place: number): void => {
    if (index.set(mint, place) === 0) tokens++
    if (metadataAccount !== null) index.set(metadataAccount, place)
  }

  const drop = (mint: string, metadataAccount: string | null, place: number): void => {
    if (index.remove(mint, place)) tokens--
    if (metadataAccount !== null) index.remove(metadataAccount, place)
  }

  const keep = (token: KnownToken): void => {
    const before = index.get(token.mint)
    if (before === 0 && tokens >= most) return
    const place = append(writeToken(token))
    // What can no longer be kept up is not known any more.
    if (place === undefined) drop(token.mint, token.metadataAccount, before)
    else put(token.mint, token.metadataAccount, place)
  }

  const forget = (token: KnownToken): void => {
    drop(token.mint, token.metadataAccount, index.get(token.mint))
    append(writeForgotten(token.mint))
  }

  const applyOne = (change: TokenChange, at: Moment): void => {
    const account = encodeBase58(change.account)
    const known = find(account)
    if (known !== undefined && comparePoints(at, known.asOf) <= 0) return
    const before = change.decimals === null ? known : newToken(account, change.decimals, at)
    if (before === undefined) {
      if (expected.has(account)) expected.set(account, at)
      return
    }

    const after = withChange(before, change, at)
    const isSound = !change.isUnsure && after.supply >= 0n
    if (isSound && (known !== undefined || !isOneOfAKind(after))) keep(after)
    else if (known !== undefined) forget(known)
  }

  const isOver = () => tokens > bounds.tokens || records.size() > bounds.bytes

  /**
   * Lets go of the oldest file. What still counts in it is forgotten, or written anew where it is not the tokens that
   * are too many but the records that were overtaken.
   */
  const reclaimOldest = async (): Promise<void> => {
    const all: (TokenKey & { place: number })[] = []
    await records.readOldest((key, place) => all.push({ ...readTokenKey(key), place }))
    const isCompacted = tokens <= bounds.tokens && tokens < written * COMPACTION_SHARE
    written -= all.length

    for (const [at, { mint, metadataAccount, place }] of all.entries()) {
      if (at % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await setImmediate()
      const kept = isCompacted && index.get(mint) === place ? records.read(place) : undefined
      drop(mint, metadataAccount, place)
      const moved = kept && append(kept)
      if (moved !== undefined) put(mint, metadataAccount, moved)
    }
    // What was written anew is on the disk before its old place goes.
    await records.flush()
    await records.dropOldest()
  }

  const reclaim = async (): Promise<void> => {
    try {
      for (let before = -1; isOver() && before !== records.size(); ) {
        before = records.size()
        await reclaimOldest()
      }
    } catch (error) {
      log.warn('The oldest file of known tokens cannot be removed.', { error: String(error) })
    }
  }

  const reader: RecordReader = {
    take: (key, place) => {
      written++
      const { mint, metadataAccount, isForgotten } = readTokenKey(key)
      if (isForgotten) drop(mint, null, index.get(mint))
      else if (tokens < most || index.get(mint) !== 0) put(mint, metadataAccount, place)
    },
    forgetAll: () => {
      index.clear()
      tokens = 0
      written = 0
    },
  }

  const memory: TokenMemory = {
    apply: (changes, at) => {
      for (const change of changes) applyOne(change, at)
    },
    complete: (token, at, launchpad = null) => {
      if (QUOTE_MINTS.includes(token.mint)) return token
      const known = find(token.mint)
      if (known !== undefined) {
        const named = withPair(known, token, launchpad)
        keep(named)
        return named
      }
      const { decimals, supply } = token
      if (decimals === null || supply === null) return token
      // A launchpad tells all about its token, also where the record has not the calls that made it.
      const told = firstTold({ ...token, decimals, supply }, at, launchpad)
      keep(told)
      return told
    },
    preview: (token, launchpad = null) => {
      const known = QUOTE_MINTS.includes(token.mint) ? undefined : find(token.mint)
      return known === undefined ? token : withPair(known, token, launchpad)
    },
    expect: (mints) => {
      expected = new Map(mints.map((mint) => [mint, null]))
    },
    learn: (token, at) => {
      const missed = expected.get(token.mint)
      const known = find(token.mint)
      if (known === undefined) {
        if (missed && comparePoints(missed, at) > 0) return false
        keep(firstTold(token, at))
        return true
      }
      keep(withAccounts(known, token, at))
      return true
    },
    describe: (mint, uri, description, texts) => {
      const known = find(mint)
      if (known?.uri !== uri) return false
      keep(withPage(known, description, texts))
      return true
    },
    find: (mint) => {
      const token = readAt(index.get(mint))
      return token?.mint === mint ? token : undefined
    },
    settle: async () => {
      if (isOver()) {
        reclaiming ??= reclaim().finally(() => {
          reclaiming = undefined
        })
      }
      await records.flush()
      await reclaiming
    },
    size: () => ({ tokens, bytes: records.size() }),
    close: async () => {
      await reclaiming
      await records.close()
    },
  }
  return { memory, reader }
}

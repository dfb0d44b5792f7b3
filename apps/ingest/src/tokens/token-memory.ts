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
import { RecordLog } from './record-log.ts'
import {
  type ChainToken,
  firstKept,
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
  const memory = new TokenMemory(records, bounds, log)
  try {
    await memory.load()
    return memory
  } catch (error) {
    const sentence =
      'The folder of known tokens cannot be used: the service keeps them in memory until the next start.'
    log.warn(sentence, { folder, error: String(error) })
    return createTokenMemory(log)
  }
}

/** A smaller memory, for as long as the process lasts. */
export function createTokenMemory(log: Log, bounds = IN_MEMORY): TokenMemory {
  return new TokenMemory(new RecordLog({ folder: undefined, head: FORMAT, log }), bounds, log)
}

/**
 * What is known of tokens, as far as their transactions were handed to ingest: kept across restarts, bounded, the
 * tokens that were touched longest ago going first. Each is a record of a log, found by an index in memory, which
 * has the newest record of every mint and of every account of its metadata.
 */
export class TokenMemory {
  readonly #records: RecordLog
  readonly #bounds: TokenBounds
  readonly #log: Log
  /** Tokens that it knows at most. */
  readonly #most: number
  readonly #index: ReturnType<typeof createPlaceIndex>
  #tokens = 0
  /** Records in the log, those that were overtaken included. */
  #written = 0
  #reclaiming: Promise<void> | undefined
  /** The mints that are being asked of the chain, each with the last change that could not be followed. */
  #expected = new Map<string, ChainPoint | null>()

  constructor(records: RecordLog, bounds: TokenBounds, log: Log) {
    this.#records = records
    this.#bounds = bounds
    this.#log = log
    this.#most = Math.ceil(bounds.tokens * SLACK)
    // A token is found by its mint and by the account of its metadata.
    this.#index = createPlaceIndex(this.#most * 2)
  }

  /** Takes up what an earlier process left. Called once, before anything else. */
  load(): Promise<void> {
    return this.#records.load({
      take: (key, place) => {
        this.#written++
        const { mint, metadataAccount, isForgotten } = readTokenKey(key)
        if (isForgotten) this.#drop(mint, null, this.#index.get(mint))
        else if (this.#tokens < this.#most || this.#index.get(mint) !== 0)
          this.#put(mint, metadataAccount, place)
      },
      forgetAll: () => {
        this.#index.clear()
        this.#tokens = 0
        this.#written = 0
      },
    })
  }

  /** Takes in what a transaction did. Call it in chain order; what was taken in before is left alone. */
  apply(changes: readonly TokenChange[], at: Moment): void {
    for (const change of changes) this.#applyOne(change, at)
  }

  /**
   * A token of a new pair with all that is known of it, which from then on includes what the pair tells, and the
   * `launchpad` of the pair.
   */
  complete(token: DecodedToken, at: Moment, launchpad: string | null = null): DecodedToken | KnownToken {
    if (QUOTE_MINTS.includes(token.mint)) return token
    const known = this.#findByAny(token.mint)
    // A launchpad tells all about its token, also where the record has not the calls that made it.
    const told = known ? withPair(known, token, launchpad) : firstTold(token, at, launchpad)
    if (!told) return token
    this.#keep(told)
    return told
  }

  /** The same of a pair ahead of its block: nothing is taken in. */
  preview(token: DecodedToken, launchpad: string | null = null): DecodedToken | KnownToken {
    const known = QUOTE_MINTS.includes(token.mint) ? undefined : this.#findByAny(token.mint)
    return known === undefined ? token : withPair(known, token, launchpad)
  }

  /** These mints are asked of the chain now, in place of those before: changes of them meanwhile are noted. */
  expect(mints: readonly string[]): void {
    this.#expected = new Map(mints.map((mint) => [mint, null]))
  }

  /**
   * Takes in what the chain's accounts say of an expected mint, as it stood after `at`. False where that was overtaken
   * by a change that could not be followed: then it has to be asked again.
   */
  learn(token: ChainToken, at: Moment): boolean {
    const missed = this.#expected.get(token.mint)
    const known = this.#findByAny(token.mint)
    if (known === undefined && missed && comparePoints(missed, at) > 0) return false
    this.#keep(known ? withAccounts(known, token, at) : firstKept(token, at))
    return true
  }

  /**
   * Takes in what the page at `uri` tells, and its name and symbol where the chain has none; false when the token has
   * another page by now, or is not known any more.
   */
  describe(mint: string, uri: string, description: Description, texts?: PageTexts): boolean {
    const known = this.#findByAny(mint)
    if (known?.uri !== uri) return false
    this.#keep(withPage(known, description, texts))
    return true
  }

  /** What is known of this mint. */
  find(mint: string): KnownToken | undefined {
    const token = this.#readOf(mint)
    return token?.mint === mint ? token : undefined
  }

  /**
   * Sends to the disk what a block changed and lets go of what is beyond the bounds. Nobody has to wait for it.
   *
   * @returns what resolves once that is done, as far as the disk allows; it never rejects
   */
  async settle(): Promise<void> {
    if (this.#isOver()) {
      this.#reclaiming ??= this.#reclaim().finally(() => {
        this.#reclaiming = undefined
      })
    }
    await this.#records.flush()
    await this.#reclaiming
  }

  /** Tokens that it knows, and bytes that their records take. */
  size(): Readonly<{ tokens: number; bytes: number }> {
    return { tokens: this.#tokens, bytes: this.#records.size() }
  }

  /** Resolves once everything is on the disk. */
  async close(): Promise<void> {
    await this.#reclaiming
    await this.#records.close()
  }

  #append(record: LogRecord): number | undefined {
    const place = this.#records.append(record)
    if (place !== undefined) this.#written++
    return place
  }

  #readOf(account: string): KnownToken | undefined {
    const place = this.#index.get(account)
    const record = place === 0 ? undefined : this.#records.read(place)
    return record && readToken(record)
  }

  /** A token by its mint or by the account of its metadata, where that is still its newest one. */
  #findByAny(account: string): KnownToken | undefined {
    const token = this.#readOf(account)
    if (token === undefined || token.mint === account) return token
    const newest = this.#readOf(token.mint)
    return newest?.metadataAccount === account ? newest : undefined
  }

  #put(mint: string, metadataAccount: string | null, place: number): void {
    if (this.#index.set(mint, place) === 0) this.#tokens++
    if (metadataAccount !== null) this.#index.set(metadataAccount, place)
  }

  #drop(mint: string, metadataAccount: string | null, place: number): void {
    if (this.#index.remove(mint, place)) this.#tokens--
    if (metadataAccount !== null) this.#index.remove(metadataAccount, place)
  }

  #keep(token: KnownToken): void {
    const before = this.#index.get(token.mint)
    if (before === 0 && this.#tokens >= this.#most) return
    const place = this.#append(writeToken(token))
    // What can no longer be kept up is not known any more.
    if (place === undefined) this.#drop(token.mint, token.metadataAccount, before)
    else this.#put(token.mint, token.metadataAccount, place)
  }

  #forget(token: KnownToken): void {
    this.#drop(token.mint, token.metadataAccount, this.#index.get(token.mint))
    this.#append(writeForgotten(token.mint))
  }

  #applyOne(change: TokenChange, at: Moment): void {
    const account = encodeBase58(change.account)
    const known = this.#findByAny(account)
    if (known !== undefined && comparePoints(at, known.asOf) <= 0) return
    const before = change.decimals === null ? known : newToken(account, change.decimals, at)
    if (before === undefined) {
      if (this.#expected.has(account)) this.#expected.set(account, at)
      return
    }

    const after = withChange(before, change, at)
    const isSound = !change.isUnsure && after.supply >= 0n
    if (isSound && (known !== undefined || !isOneOfAKind(after))) this.#keep(after)
    else if (known !== undefined) this.#forget(known)
  }

  #isOver(): boolean {
    return this.#tokens > this.#bounds.tokens || this.#records.size() > this.#bounds.bytes
  }

  async #reclaim(): Promise<void> {
    try {
      for (let before = -1; this.#isOver() && before !== this.#records.size(); ) {
        before = this.#records.size()
        await this.#reclaimOldest()
      }
    } catch (error) {
      this.#log.warn('The oldest file of known tokens cannot be removed.', { error: String(error) })
    }
  }

  /**
   * Lets go of the oldest file. What still counts in it is forgotten, or written anew where it is not the tokens that
   * are too many but the records that were overtaken.
   */
  async #reclaimOldest(): Promise<void> {
    const all: (TokenKey & { place: number })[] = []
    await this.#records.readOldest((key, place) => all.push({ ...readTokenKey(key), place }))
    const isCompacted = this.#tokens <= this.#bounds.tokens && this.#tokens < this.#written * COMPACTION_SHARE
    this.#written -= all.length

    for (const [at, { mint, metadataAccount, place }] of all.entries()) {
      if (at % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await setImmediate()
      const kept = isCompacted && this.#index.get(mint) === place ? this.#records.read(place) : undefined
      this.#drop(mint, metadataAccount, place)
      const moved = kept && this.#append(kept)
      if (moved !== undefined) this.#put(mint, metadataAccount, moved)
    }
    // What was written anew is on the disk before its old place goes.
    await this.#records.flush()
    await this.#records.dropOldest()
  }
}

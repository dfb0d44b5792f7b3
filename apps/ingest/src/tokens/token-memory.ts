import { setImmediate } from 'node:timers/promises'
import { BoundedMap, type Log } from '@pairwire/basics'
import { encodeBase58, QUOTE_MINTS, type SourceKind } from '@pairwire/contract'
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
  /** Folder for this memory alone. */
  folder: string
  /** The kind of source of the transactions: details from one kind do not apply to another. */
  source: SourceKind
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
/** Bounds without a disk. */
const IN_MEMORY: TokenBounds = { tokens: 40_000, bytes: 32 * 1024 * 1024 }

/** Version of the record format. */
const FORMAT = 'pairwire tokens 1'

/** Factor by which the limit of tokens may be exceeded while the oldest are dropped. */
const SLACK = 1.1

/** Share of valid records up to which the oldest file is rewritten, since that frees space later. */
const COMPACTION_SHARE = 0.5

/** Mints whose supply is at hand: those that are traded within minutes. */
const CACHED_SUPPLIES = 20_000

/** Records read per turn when a file is dropped. */
const RECORDS_PER_TURN = 500

/**
 * Opens the memory in its folder with what an earlier process left. If the folder cannot be used, that is logged, and
 * the memory lasts only as long as the process.
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

/** Creates a smaller memory that lasts only as long as the process. */
export function createTokenMemory(log: Log): TokenMemory {
  return new TokenMemory(new RecordLog({ folder: undefined, head: FORMAT, log }), IN_MEMORY, log)
}

/**
 * The details of tokens, as far as ingest received their transactions: kept across restarts, limited, with the least
 * recently changed tokens dropped first. Each is a record of a log, found by an index in memory, which has the newest
 * record of every mint and of every metadata account.
 */
export class TokenMemory {
  readonly #records: RecordLog
  readonly #bounds: TokenBounds
  readonly #log: Log
  /** Most tokens that it keeps. */
  readonly #most: number
  readonly #index: ReturnType<typeof createPlaceIndex>
  /** Supplies of traded mints, without parsing their records again. */
  readonly #supplies = new BoundedMap<string, bigint | null>(CACHED_SUPPLIES)
  #tokens = 0
  /** Records in the log, including replaced ones. */
  #written = 0
  #reclaiming: Promise<void> | undefined
  /** Called when a transaction names another page for a token. */
  onNewPage: (mint: string) => void = () => {}
  /** The mints being requested from the chain, each with the last change that could not be followed. */
  #expected = new Map<string, ChainPoint | null>()

  constructor(records: RecordLog, bounds: TokenBounds, log: Log) {
    this.#records = records
    this.#bounds = bounds
    this.#log = log
    this.#most = Math.ceil(bounds.tokens * SLACK)
    // A token is found by its mint and by its metadata account.
    this.#index = createPlaceIndex(this.#most * 2)
  }

  /** Loads what an earlier process left. Call it once, before anything else. */
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

  /** Applies a transaction's changes. Call it in chain order; changes already applied are ignored. */
  apply(changes: readonly TokenChange[], at: Moment): void {
    const changed = new Set<string>()
    for (const change of changes) this.#applyOne(change, at, changed)
  }

  /**
   * Returns a token of a new pair with everything known about it, and remembers what the pair tells, with its
   * `launchpad`.
   */
  complete(token: DecodedToken, at: Moment, launchpad: string | null = null): DecodedToken | KnownToken {
    if (QUOTE_MINTS.includes(token.mint)) return token
    const known = this.#findByAny(token.mint)
    // A launchpad describes its token completely, even if the record lacks the creating calls.
    const told = known ? withPair(known, token, launchpad) : firstTold(token, at, launchpad)
    if (!told) return token
    this.#keep(told)
    return told
  }

  /** Does the same for a pair ahead of its block, without remembering anything. */
  preview(token: DecodedToken, launchpad: string | null = null): DecodedToken | KnownToken {
    const known = QUOTE_MINTS.includes(token.mint) ? undefined : this.#findByAny(token.mint)
    return known === undefined ? token : withPair(known, token, launchpad)
  }

  /** Replaces the mints being requested from the chain: changes of them are noted in the meantime. */
  expect(mints: readonly string[]): void {
    this.#expected = new Map(mints.map((mint) => [mint, null]))
  }

  /**
   * Records the chain's accounts of an expected mint after `at`. False if a change that could not be followed came
   * later: then it has to be requested again.
   */
  learn(token: ChainToken, at: Moment): boolean {
    const missed = this.#expected.get(token.mint)
    const known = this.#findByAny(token.mint)
    if (known === undefined && missed && comparePoints(missed, at) > 0) return false
    this.#keep(known ? withAccounts(known, token, at) : firstKept(token, at))
    return true
  }

  /**
   * Records the page at `uri`, and its name and symbol if the chain has none, unless the token has another page by now or
   * is no longer known.
   */
  describe(mint: string, uri: string, description: Description, texts?: PageTexts): void {
    const known = this.#findByAny(mint)
    if (known?.uri === uri) this.#keep(withPage(known, description, texts))
  }

  /** Returns what is known about this mint. */
  find(mint: string): KnownToken | undefined {
    const token = this.#readOf(mint)
    return token?.mint === mint ? token : undefined
  }

  /** Returns the raw units of this mint in existence; null if unknown. */
  supplyOf(mint: string): bigint | null {
    return this.#supplies.ensure(mint, () => this.find(mint)?.supply ?? null)
  }

  /**
   * Writes a block's changes to disk and drops what exceeds the limits. The caller need not wait.
   *
   * @returns a promise that resolves once that is done, as far as the disk allows; it never rejects
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

  /** Number of known tokens, and bytes of their records. */
  size(): Readonly<{ tokens: number; bytes: number }> {
    return { tokens: this.#tokens, bytes: this.#records.size() }
  }

  /** Resolves once everything is on disk. */
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

  /** Finds a token by its mint or by its metadata account, if that is still its current one. */
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
    this.#supplies.delete(mint)
    if (this.#index.remove(mint, place)) this.#tokens--
    if (metadataAccount !== null) this.#index.remove(metadataAccount, place)
  }

  #keep(token: KnownToken): void {
    const before = this.#index.get(token.mint)
    if (before === 0 && this.#tokens >= this.#most) return
    const place = this.#append(writeToken(token))
    // A token that can no longer be kept up to date becomes unknown.
    if (place === undefined) this.#drop(token.mint, token.metadataAccount, before)
    else {
      this.#put(token.mint, token.metadataAccount, place)
      this.#supplies.set(token.mint, token.supply)
    }
  }

  #forget(token: KnownToken): void {
    this.#drop(token.mint, token.metadataAccount, this.#index.get(token.mint))
    this.#append(writeForgotten(token.mint))
  }

  /** `changed`: mints that the same transaction has changed, since their metadata is a change of its own. */
  #applyOne(change: TokenChange, at: Moment, changed: Set<string>): void {
    const account = encodeBase58(change.account)
    const known = this.#findByAny(account)
    if (known && comparePoints(at, known.asOf) <= 0 && !changed.has(known.mint)) return
    const before = change.decimals === null ? known : newToken(account, change.decimals, at)
    if (before === undefined) {
      if (this.#expected.has(account)) this.#expected.set(account, at)
      return
    }

    changed.add(before.mint)
    const after = withChange(before, change, at)
    if (known && after.uri !== known.uri) this.onNewPage(known.mint)
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
   * Drops the oldest file. Its valid records are forgotten, or rewritten if there are too many replaced records rather
   * than too many tokens.
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
    // Rewritten records must be on disk before their old place is removed.
    await this.#records.flush()
    await this.#records.dropOldest()
  }
}

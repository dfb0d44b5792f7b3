import { type Clock, within } from '../clock.ts'
import { asError } from '../errors.ts'

/** Stores the cursors of streams across restarts of the program; both methods may be asynchronous. */
export type CursorStore = Readonly<{
  load(name: string): string | null | undefined | Promise<string | null | undefined>
  save(name: string, cursor: string): void | Promise<void>
}>

/** Milliseconds that a store may take. */
const STORE_LIMIT_MS = 10_000

/** Milliseconds before a failed save is retried, and between two saves of passing blocks. */
const AGAIN_MS = 1_000

/** What a keeper needs. */
type KeeperParts = Readonly<{
  store: CursorStore
  name: string
  clock: Clock
  everyMs: number
  warn(sentence: string): void
}>

/** Saves the cursor of one stream: the newest, one save at a time, at most every `saveEveryMs`. */
export class CursorKeeper {
  readonly #parts: KeeperParts
  #newest: string | null = null
  #saved: string | null = null
  #saving: Promise<void> | undefined
  #stopTimer: (() => void) | undefined

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /** Whether each cursor is saved before the next event. */
  get savesEach(): boolean {
    return this.#parts.everyMs === 0
  }

  /** Loads the stored cursor; null if there is none. Rejects with the store's error, or when it takes too long. */
  async load(): Promise<string | null> {
    const { store, name, clock } = this.#parts
    this.#newest = (await within(clock, STORE_LIMIT_MS, async () => store.load(name))) ?? null
    this.#saved = this.#newest
    return this.#newest
  }

  /** Notes a cursor, to be saved soon. */
  note(cursor: string): void {
    this.#newest = cursor
    this.#stopTimer ??= this.#parts.clock.after(this.#parts.everyMs || AGAIN_MS, () => {
      this.#stopTimer = undefined
      void this.flush()
    })
  }

  /** Saves the last noted cursor unless it is saved already. Never rejects: a failure is a warning and is retried. */
  async flush(): Promise<void> {
    while (this.#saving) await this.#saving
    if (this.#newest === null || this.#newest === this.#saved) return
    this.#saving = this.#save(this.#newest).finally(() => {
      this.#saving = undefined
    })
    await this.#saving
  }

  /** Saves for the last time. */
  async close(): Promise<void> {
    this.#stopTimer?.()
    // Nothing is retried from here on.
    this.#stopTimer = () => {}
    await this.flush()
  }

  async #save(cursor: string): Promise<void> {
    const { store, name, clock, warn } = this.#parts
    try {
      await within(clock, STORE_LIMIT_MS, async () => store.save(name, cursor))
      this.#saved = cursor
    } catch (error) {
      warn(`The cursor of the stream "${name}" could not be saved: ${asError(error).message}`)
      this.note(this.#newest ?? cursor)
    }
  }
}

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

/** Saves the cursor of one stream: the newest, one save at a time, at most every `saveEveryMs`. */
export class CursorKeeper {
  readonly #store: CursorStore
  readonly #name: string
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #warn: (sentence: string) => void
  #newest: string | null = null
  #saved: string | null = null
  #saving: Promise<void> | undefined
  #stopTimer: (() => void) | undefined

  constructor(
    store: CursorStore,
    name: string,
    { clock, everyMs, warn }: Readonly<{ clock: Clock; everyMs: number; warn(sentence: string): void }>,
  ) {
    this.#store = store
    this.#name = name
    this.#clock = clock
    this.#everyMs = everyMs
    this.#warn = warn
  }

  /** Whether each cursor is saved before the next event. */
  get savesEach(): boolean {
    return this.#everyMs === 0
  }

  /** Loads the stored cursor; null if there is none. Rejects with the store's error, or when it takes too long. */
  async load(): Promise<string | null> {
    this.#newest =
      (await within(this.#clock, STORE_LIMIT_MS, async () => this.#store.load(this.#name))) ?? null
    this.#saved = this.#newest
    return this.#newest
  }

  /** Notes a cursor, to be saved soon. */
  note(cursor: string): void {
    this.#newest = cursor
    this.#stopTimer ??= this.#clock.after(this.#everyMs || AGAIN_MS, () => {
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
    try {
      await within(this.#clock, STORE_LIMIT_MS, async () => this.#store.save(this.#name, cursor))
      this.#saved = cursor
    } catch (error) {
      const reason = asError(error).message
      this.#warn(`The cursor of the stream "${this.#name}" could not be saved: ${reason}`)
      this.note(this.#newest ?? cursor)
    }
  }
}

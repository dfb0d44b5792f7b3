import type { Accounts, DueMails, QueuedMail } from '@pairwire/accounts'
import { MAIL_LEASE_MS } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/basics'
import type { Brand } from '@pairwire/process/brand'
import { type Mail, MailRefusedError } from './adapters/mail.ts'
import type { Leases } from './leases.ts'
import { traceOf } from './trace-of.ts'

/** Mails in flight at a time. */
const AT_ONCE = 5

/** Milliseconds between two checks of the queue and of ending trials, unless something calls for an earlier one. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds until the next check of a due mail that another process is just taking. */
const LEAST_REST_MS = 20

/** Milliseconds until the next check after the database was away. */
const LOOK_AGAIN_MS = 2_000

/** Milliseconds between two renewals of the lease of mails in flight, well within it. */
const HOLD_EVERY_MS = MAIL_LEASE_MS / 3

/** Milliseconds between two attempts to record that a mail was sent. */
const NOTE_AGAIN_MS = 1_000

/** Milliseconds for which a page waits for the mails it shows. */
const SETTLE_WITHIN_MS = 5_000

/** Milliseconds of a shutdown that a mail in flight may take. */
const CLOSE_WITHIN_MS = 2_000

/** What a {@link MailSender} needs. */
type MailSenderParts = Readonly<{
  accounts: Pick<
    Accounts,
    'onMailQueued' | 'queueTrialNotices' | 'takeDueMails' | 'holdMails' | 'noteMailSent' | 'noteMailFailed'
  >
  /** Each mail has its own lease, so that any process may send it; one process queues the notices of all trials. */
  leases: Pick<Leases, 'have'>
  mail: Mail
  /** The base address of links in mails. */
  publicUrl: string
  /** Ours by default. */
  brand?: Brand
  clock: Pick<Clock, 'now' | 'elapsed' | 'wait'>
  log: Log
}>

/**
 * Takes mails as soon as they are queued, sends them with `mail`, and records the outcome. Several processes may run one
 * each. A mail is sent again only if the process dies after the mail server accepted it and before that was recorded; it then
 * has the same Message-ID.
 */
export class MailSender {
  readonly #parts: MailSenderParts
  /** Mails in flight, each with a promise that resolves once its outcome is recorded. */
  readonly #inHand = new Map<string, Promise<void>>()
  readonly #pauses = new Set<AbortController>()
  readonly #waiting = new Set<AbortController>()
  #sleep = new AbortController()
  #isAwake = false
  #isStopping = false
  #isHolding = false
  #running: Promise<void> = Promise.resolve()
  #stopListening = () => {}

  constructor(parts: MailSenderParts) {
    this.#parts = parts
  }

  start = (): void => {
    this.#stopListening = this.#parts.accounts.onMailQueued(() => this.#wake())
    this.#running = this.#run()
  }

  /** Resolves once every due mail has been tried, or after {@link SETTLE_WITHIN_MS}. */
  settled = async (): Promise<void> => {
    const done = new AbortController()
    this.#waiting.add(done)
    this.#wake()
    await this.#pause(SETTLE_WITHIN_MS, done)
    this.#waiting.delete(done)
  }

  /** Starts no more mails and waits for those in flight, {@link CLOSE_WITHIN_MS} at most. */
  close = async (): Promise<void> => {
    this.#stopListening()
    this.#isStopping = true
    for (const ended of this.#pauses) ended.abort()
    const done = new AbortController()
    void this.#running.then(() => Promise.all(this.#inHand.values())).then(() => done.abort())
    await this.#parts.clock.wait(CLOSE_WITHIN_MS, done.signal)
    if (this.#inHand.size > 0)
      this.#parts.log.warn('Mails were still being sent at shutdown.', { mails: this.#inHand.size })
  }

  #wake(): void {
    this.#isAwake = true
    this.#sleep.abort()
  }

  async #run(): Promise<void> {
    let noticesAt = this.#parts.clock.elapsed()
    while (!this.#isStopping) {
      this.#isAwake = false
      let restMs = LOOK_EVERY_MS
      try {
        if (this.#parts.clock.elapsed() >= noticesAt) {
          await this.#parts.leases.have('notices', this.#parts.accounts.queueTrialNotices)
          noticesAt = this.#parts.clock.elapsed() + LOOK_EVERY_MS
        }
        restMs = await this.#takeAndSend()
      } catch (error) {
        this.#parts.log.warn('The mail queue could not be read.', traceOf(error))
        restMs = LOOK_AGAIN_MS
      }
      if (this.#isAwake) continue
      if (this.#inHand.size === 0) for (const waiter of this.#waiting) waiter.abort()

      this.#sleep = new AbortController()
      await this.#pause(restMs, this.#sleep)
    }
  }

  /** Waits until `milliseconds` have passed, `ended` aborts, or this sender stops. */
  async #pause(milliseconds: number, ended = new AbortController()): Promise<void> {
    if (this.#isStopping) return
    this.#pauses.add(ended)
    await this.#parts.clock.wait(milliseconds, ended.signal)
    this.#pauses.delete(ended)
  }

  /** @returns milliseconds until the next check */
  async #takeAndSend(): Promise<number> {
    const free = AT_ONCE - this.#inHand.size
    // Each finished mail wakes the loop.
    if (free === 0) return LOOK_EVERY_MS

    const due: DueMails = await this.#parts.accounts.takeDueMails(free)
    if (due.givenUp > 0)
      this.#parts.log.error('Mails were given up without being sent.', { mails: due.givenUp })
    for (const queued of due.mails) {
      // Already sent, but the database was away too long to record it.
      if (this.#inHand.has(queued.id)) continue
      const handling = this.#handle(queued).finally(() => {
        this.#inHand.delete(queued.id)
        this.#wake()
      })
      this.#inHand.set(queued.id, handling)
    }
    if (this.#inHand.size > 0 && due.mails.length > 0) void this.#hold()
    if (due.mails.length === free) return 0
    return due.nextTryAt === null
      ? LOOK_EVERY_MS
      : Math.min(LOOK_EVERY_MS, Math.max(LEAST_REST_MS, due.nextTryAt.getTime() - this.#parts.clock.now()))
  }

  async #handle(queued: QueuedMail): Promise<void> {
    const { id, letter, attempt } = queued
    const about = { template: letter.template, attempt }
    try {
      // Loaded with the first mail: most starts send none.
      const { renderMail } = await import('./mails/render-mail.tsx')
      await this.#parts.mail.send(await renderMail(queued, this.#parts.publicUrl, this.#parts.brand))
    } catch (error) {
      this.#parts.log.warn('A mail could not be sent.', { ...about, ...traceOf(error) })
      const isFinal = error instanceof MailRefusedError
      const outcome = await this.#note(() => this.#parts.accounts.noteMailFailed(id, isFinal))
      if (outcome === 'given_up') this.#parts.log.error('A mail was given up without being sent.', about)
      return
    }
    await this.#note(() => this.#parts.accounts.noteMailSent(id))
  }

  /** Records the outcome of a mail, retrying until it succeeds or we stop: a lost record sends the mail again. */
  async #note<Answer>(write: () => Promise<Answer>): Promise<Answer | undefined> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        this.#parts.log.warn('The outcome of a mail could not be recorded.', traceOf(error))
        if (this.#isStopping) return undefined
        await this.#pause(NOTE_AGAIN_MS)
      }
    }
  }

  /** Renews the lease of the mails in flight, so that other processes leave them alone. */
  async #hold(): Promise<void> {
    if (this.#isHolding) return
    this.#isHolding = true
    while (this.#inHand.size > 0 && !this.#isStopping) {
      const emptied = new AbortController()
      void Promise.all(this.#inHand.values()).then(() => emptied.abort())
      await this.#pause(HOLD_EVERY_MS, emptied)
      if (this.#inHand.size === 0) break
      await this.#parts.accounts
        .holdMails([...this.#inHand.keys()])
        .catch((error) => this.#parts.log.warn('Mails being sent could not be reserved.', traceOf(error)))
    }
    this.#isHolding = false
  }
}

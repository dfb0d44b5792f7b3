import type { Accounts, DueMails, QueuedMail } from '@pairwire/accounts'
import { MAIL_LEASE_MS } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/process'
import { type Mail, MailRefusedError } from './adapters/mail.ts'
import type { Leases } from './leases.ts'
import { traceOf } from './plugins/errors.ts'

/** Sends what is queued, for as long as it runs. */
type MailSender = Readonly<{
  start(): void
  /** Resolves once every mail that is due has been tried, or after {@link SETTLE_WITHIN_MS}. */
  settled(): Promise<void>
  /** Begins no more mails and waits for those in hand, {@link CLOSE_WITHIN_MS} at most. */
  close(): Promise<void>
}>

/** Mails in hand at a time. */
const AT_ONCE = 5

/** Milliseconds between two looks at the queue and at trials that end, when nothing calls for an earlier one. */
const LOOK_EVERY_MS = 30_000

/** Milliseconds until the next look at a mail that is due and that another process is just taking. */
const LEAST_REST_MS = 20

/** Milliseconds until the next look when the database was away. */
const LOOK_AGAIN_MS = 2_000

/** Milliseconds between two notes that the mails in hand are still in hand, well within their lease. */
const HOLD_EVERY_MS = MAIL_LEASE_MS / 3

/** Milliseconds between two tries to note that a mail is out. */
const NOTE_AGAIN_MS = 1_000

/** Milliseconds that a page waits for the mails whose result it shows. */
const SETTLE_WITHIN_MS = 5_000

/** Milliseconds of a shutdown that a mail in hand may take. */
const CLOSE_WITHIN_MS = 2_000

/**
 * Takes mails from the queue as soon as they are queued, sends them with `mail`, and notes what became of them.
 * Several processes may run one each. A mail is sent again only if the process dies after the mail server took it
 * and before that was noted; it then has the same Message-ID.
 */
export function createMailSender(parts: {
  accounts: Pick<
    Accounts,
    'onMailQueued' | 'queueTrialNotices' | 'takeDueMails' | 'holdMails' | 'noteMailSent' | 'noteMailFailed'
  >
  /** Each mail has its own lease, so that any process sends it; the notices of all trials are one process's. */
  leases: Pick<Leases, 'have'>
  mail: Mail
  /** What links in mails point to. */
  publicUrl: string
  clock: Pick<Clock, 'now' | 'elapsed' | 'wait'>
  log: Log
}): MailSender {
  const { accounts, leases, mail, publicUrl, clock, log } = parts
  /** Mails in hand, each with what ends when it is noted. */
  const inHand = new Map<string, Promise<void>>()
  const pauses = new Set<AbortController>()
  const waiting = new Set<AbortController>()
  let sleep = new AbortController()
  let isAwake = false
  let isStopping = false
  let running: Promise<void> = Promise.resolve()
  let stopListening = () => {}

  function wake(): void {
    isAwake = true
    sleep.abort()
  }

  async function run(): Promise<void> {
    let noticesAt = clock.elapsed()
    while (!isStopping) {
      isAwake = false
      let restMs = LOOK_EVERY_MS
      try {
        if (clock.elapsed() >= noticesAt) {
          await leases.have('notices', accounts.queueTrialNotices)
          noticesAt = clock.elapsed() + LOOK_EVERY_MS
        }
        restMs = await takeAndSend()
      } catch (error) {
        log.warn('The mail queue could not be read.', traceOf(error))
        restMs = LOOK_AGAIN_MS
      }
      if (isAwake) continue
      if (inHand.size === 0) for (const waiter of waiting) waiter.abort()

      sleep = new AbortController()
      await pause(restMs, sleep)
    }
  }

  /** Waits until `milliseconds` have passed, `ended` aborts, or we stop. */
  async function pause(milliseconds: number, ended = new AbortController()): Promise<void> {
    if (isStopping) return
    pauses.add(ended)
    await clock.wait(milliseconds, ended.signal)
    pauses.delete(ended)
  }

  /** @returns milliseconds until the next look */
  async function takeAndSend(): Promise<number> {
    const free = AT_ONCE - inHand.size
    // Each mail that leaves the hand wakes the loop.
    if (free === 0) return LOOK_EVERY_MS

    const due: DueMails = await accounts.takeDueMails(free)
    if (due.givenUp > 0) log.error('Mails were given up without being sent.', { mails: due.givenUp })
    for (const queued of due.mails) {
      // Already out, but the database was away too long for its note.
      if (inHand.has(queued.id)) continue
      const handling = handle(queued).finally(() => {
        inHand.delete(queued.id)
        wake()
      })
      inHand.set(queued.id, handling)
    }
    if (inHand.size > 0 && due.mails.length > 0) void hold()
    if (due.mails.length === free) return 0
    return due.nextTryAt === null
      ? LOOK_EVERY_MS
      : Math.min(LOOK_EVERY_MS, Math.max(LEAST_REST_MS, due.nextTryAt.getTime() - clock.now()))
  }

  async function handle(queued: QueuedMail): Promise<void> {
    const { id, letter, attempt } = queued
    const about = { template: letter.template, attempt }
    try {
      // Loaded with the first mail: most starts send none.
      const { renderMail } = await import('./mails/render-mail.tsx')
      await mail.send(await renderMail(queued, publicUrl))
    } catch (error) {
      log.warn('A mail could not be sent.', { ...about, ...traceOf(error) })
      const isFinal = error instanceof MailRefusedError
      const outcome = await note(() => accounts.noteMailFailed(id, isFinal))
      if (outcome === 'given_up') log.error('A mail was given up without being sent.', about)
      return
    }
    await note(() => accounts.noteMailSent(id))
  }

  /** Notes what became of a mail, until that is done or we stop: a note that is lost sends the mail again. */
  async function note<Answer>(write: () => Promise<Answer>): Promise<Answer | undefined> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        log.warn('The outcome of a mail could not be recorded.', traceOf(error))
        if (isStopping) return undefined
        await pause(NOTE_AGAIN_MS)
      }
    }
  }

  let isHolding = false
  /** Keeps other processes from the mails in hand. */
  async function hold(): Promise<void> {
    if (isHolding) return
    isHolding = true
    while (inHand.size > 0 && !isStopping) {
      const emptied = new AbortController()
      void Promise.all(inHand.values()).then(() => emptied.abort())
      await pause(HOLD_EVERY_MS, emptied)
      if (inHand.size === 0) break
      await accounts
        .holdMails([...inHand.keys()])
        .catch((error) => log.warn('Mails being sent could not be reserved.', traceOf(error)))
    }
    isHolding = false
  }

  return {
    start() {
      stopListening = accounts.onMailQueued(wake)
      running = run()
    },

    async settled() {
      const done = new AbortController()
      waiting.add(done)
      wake()
      await pause(SETTLE_WITHIN_MS, done)
      waiting.delete(done)
    },

    async close() {
      stopListening()
      isStopping = true
      for (const ended of pauses) ended.abort()
      const done = new AbortController()
      void running.then(() => Promise.all(inHand.values())).then(() => done.abort())
      await clock.wait(CLOSE_WITHIN_MS, done.signal)
      if (inHand.size > 0) log.warn('Mails were still being sent at the stop.', { mails: inHand.size })
    },
  }
}

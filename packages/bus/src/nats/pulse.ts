import type { Clock, Log } from '@pairwire/basics'
import type { NatsLink } from './nats-link.ts'

/** Milliseconds between two requests, and after which the last answer is too old. */
const ASK_EVERY_MS = 1_000
const SILENT_MS = 5_000

/** Unanswered requests before that is reported: more than a lost connection or a start can cause. */
const UNANSWERED = 3

type PulseParts = Readonly<{
  link: Pick<NatsLink, 'isUp' | 'whenUp' | 'onChange'>
  where: string
  ask(): Promise<unknown>
  clock: Pick<Clock, 'elapsed' | 'wait'>
  log: Pick<Log, 'info' | 'warn'>
}>

/**
 * Tells whether JetStream answers: NATS may accept and keep connections while it does nothing else. Sends `ask` from
 * now on, and logs each change once, however often connections break meanwhile.
 */
export function openPulse({ link, where, ask, clock, log }: PulseParts) {
  const abort = new AbortController()
  let answeredAt = clock.elapsed()
  let state: 'answers' | 'away' | 'silent' = 'answers'
  let unanswered = 0

  const leave = link.onChange((isUp) => {
    if (isUp || state !== 'answers' || abort.signal.aborted) return
    state = 'away'
    log.warn(`NATS at ${where} is away; retrying.`)
  })

  const run = async () => {
    while (!abort.signal.aborted) {
      await link.whenUp()
      try {
        await ask()
        answeredAt = clock.elapsed()
        unanswered = 0
        if (state !== 'answers') log.info(state === 'away' ? 'NATS is back.' : 'JetStream answers again.')
        state = 'answers'
      } catch (error) {
        if (++unanswered >= UNANSWERED && state !== 'silent' && !abort.signal.aborted) {
          state = 'silent'
          log.warn(
            `JetStream does not answer, although NATS at ${where} takes connections. Look at its disk and its log; it may need a restart.`,
            { error: String(error) },
          )
        }
      }
      await clock.wait(ASK_EVERY_MS, abort.signal)
    }
  }
  void run()

  return {
    isAnswering: () => link.isUp() && clock.elapsed() - answeredAt < SILENT_MS,
    close() {
      abort.abort()
      leave()
    },
  }
}

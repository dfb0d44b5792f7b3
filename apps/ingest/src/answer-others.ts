import type { Bus } from '@pairwire/bus'
import { ASKS } from '@pairwire/contract'
import * as z from 'zod'
import type { OpenIngest } from './open-ingest.ts'

/** Milliseconds between two checks whether this ingest is the one that publishes. */
const LOOK_EVERY_MS = 250

/** Mints allowed in one request. */
const Mints = z.array(z.string()).max(100)

/**
 * Answers requests of other processes while this ingest is the one that publishes, since it knows what was published.
 * Ends when the returned function is called.
 */
export function answerOthers(
  bus: Pick<Bus, 'answer'>,
  ingest: Pick<OpenIngest, 'state' | 'lookUpTokens'>,
  isPublishing: () => boolean,
): () => void {
  let answers: (() => void)[] = []
  const leave = () => {
    for (const stop of answers) stop()
    answers = []
  }
  const look = setInterval(() => {
    if (isPublishing() === answers.length > 0) return
    leave()
    if (!isPublishing()) return
    answers = [
      bus.answer(ASKS.ingestState(), ingest.state),
      bus.answer(ASKS.tokens(), (body) => ingest.lookUpTokens(Mints.parse(body))),
    ]
  }, LOOK_EVERY_MS)

  return () => {
    clearInterval(look)
    leave()
  }
}

import type { AlarmTelling } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/basics'

/** Milliseconds in which the receiver has to answer, between two tries, and how many there are. */
const ANSWER_MS = 5_000
const PAUSE_MS = 2_000
const TRIES = 3

/** How the text of an alarm begins. */
export const ALARM_WORDS: Readonly<Record<AlarmTelling['state'], string>> = {
  begun: 'Alarm',
  ended: 'Over',
  test: 'Test',
}

/**
 * Posts an alarm to `url`, in the form of incoming webhooks of chats; three tries. No log names the address, which is a
 * secret. @returns whether it was taken
 */
export async function postAlarm(
  url: string,
  { name, state, sentence, at }: AlarmTelling,
  {
    publicUrl,
    clock,
    log,
  }: Readonly<{ publicUrl: string; clock: Pick<Clock, 'wait'>; log: Pick<Log, 'warn'> }>,
): Promise<boolean> {
  const text = `${ALARM_WORDS[state]} at ${new URL(publicUrl).host}: ${sentence}`
  const body = JSON.stringify({ text, name, state, at: at.toISOString() })
  let trouble = ''
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await clock.wait(PAUSE_MS, new AbortController().signal)
    try {
      const answer = await fetch(url, {
        ...{ method: 'POST', body, headers: { 'content-type': 'application/json' }, redirect: 'manual' },
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      // Unread, it would keep the connection.
      await answer.body?.cancel()
      if (answer.ok) return true
      trouble = `status ${answer.status}`
    } catch (error) {
      trouble = (error as Error).name
    }
  }
  log.warn('ALARM_URL did not take an alarm.', { alarm: name, trouble })
  return false
}

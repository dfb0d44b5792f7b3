import { WEBHOOK_LIMITS } from '@pairwire/contract'
import type { PublicPost } from '@pairwire/public-fetch'

/** `status` null without an answer; then `error` says why. `body` is the begin of the answer, or why there is none. */
export type PostOutcome = Readonly<{
  status: number | null
  body: string
  retryAfterMs?: number | undefined
  error?: string
}>

/** Posts a message. It never rejects. */
export async function sendPost(
  { post }: Pick<PublicPost, 'post'>,
  url: string,
  signed: Record<string, string>,
  body: string,
  timeLimitMs: number = WEBHOOK_LIMITS.answerMs,
): Promise<PostOutcome> {
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'webhooks' }
  try {
    const { status, retryAfterMs, body: answer } = await post(url, { headers, body, timeLimitMs })
    // PostgreSQL takes no NUL in a text, and strict readers of JSON no half of a character.
    const shown = answer.replaceAll('\0', '').slice(0, WEBHOOK_LIMITS.answerShown)
    return { status, retryAfterMs, body: shown.replace(/[\ud800-\udbff]$/, '') }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { status: null, body: why, error: why }
  }
}

import { SystemStatus } from '@pairwire/contract/answers'
import { tryAnswer } from './read-answer.ts'

/** The first item's `Details` of a system status list; `undefined` when the list is empty or no list. */
export function readNotice(answer: unknown): string | undefined {
  const text = tryAnswer(SystemStatus, answer)?.[0]?.Details
  return text?.trim() ? text : undefined
}

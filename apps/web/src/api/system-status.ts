import { SystemStatus } from '@pairwire/contract/answers'
import { tryAnswer } from './read-answer.ts'

/** The `Details` of a system status list; none where it is no list, or its first says nothing. */
export function readNotices(answer: unknown): readonly string[] {
  const texts = (tryAnswer(SystemStatus, answer) ?? []).map(({ Details }) => Details)
  return texts[0]?.trim() ? texts : []
}

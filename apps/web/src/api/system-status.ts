import { SystemStatus } from '@pairwire/contract/answers'
import { tryAnswer } from './read-answer.ts'

/** Reads the `Details` of a system status list; empty if it is no list, or its first entry is empty. */
export function readNotices(answer: unknown): readonly string[] {
  const texts = (tryAnswer(SystemStatus, answer) ?? []).map(({ Details }) => Details)
  return texts[0]?.trim() ? texts : []
}

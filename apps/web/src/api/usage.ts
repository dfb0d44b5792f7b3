import type { UsageDay } from '@pairwire/contract'
import { Connections, Usage } from '@pairwire/contract/usage'
import { tryAnswer } from './read-answer.ts'

/** Reads the days in `answer`, oldest first; `undefined` when it is no usage, as from a server without it. */
export function readUsage(answer: unknown): readonly UsageDay[] | undefined {
  const days = tryAnswer(Usage, answer)?.days
  return days?.length ? days : undefined
}

/** Reads the connections in `answer`; `undefined` when there are none. */
export function readConnections(answer: unknown): Connections | undefined {
  const connections = tryAnswer(Connections, answer)
  return connections && { ...connections, at: connections.at || new Date().toISOString() }
}

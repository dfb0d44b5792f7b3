import { within } from '@pairwire/basics'
import { NoAnswerError, type RequestHandler } from './bus.ts'

/** Requests and answers within one process. Bodies and answers pass through JSON, as they do between processes. */
export function createInProcessRequests() {
  const handlers = new Map<string, Set<RequestHandler>>()

  const askEach = (subject: string, body: unknown) => {
    const text = jsonOf(body)
    const asked = [...(handlers.get(subject) ?? [])]
    return asked.map(async (handler) => JSON.parse(jsonOf(await handler(JSON.parse(text)))))
  }

  return {
    async request(subject: string, body: unknown, timeoutMs: number): Promise<unknown> {
      const answers = askEach(subject, body)
      if (answers.length === 0) throw new NoAnswerError(subject, 'nobody')

      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new NoAnswerError(subject, 'timeout')), timeoutMs)
      })
      try {
        return await Promise.race([late, firstOf(answers, subject)])
      } finally {
        clearTimeout(timer)
      }
    },

    async requestAll(subject: string, body: unknown, withinMs: number): Promise<readonly unknown[]> {
      const come: unknown[] = []
      const all = askEach(subject, body).map((answer) =>
        answer.then(
          (value) => come.push(value),
          () => {},
        ),
      )
      await within(withinMs, Promise.all(all))
      return [...come]
    },

    answer(subject: string, handler: RequestHandler) {
      // A handler that is registered twice is removed one registration at a time.
      const own: RequestHandler = (body) => handler(body)
      const all = handlers.get(subject) ?? new Set()
      handlers.set(subject, all.add(own))
      return () => {
        all.delete(own)
        if (all.size === 0 && handlers.get(subject) === all) handlers.delete(subject)
      }
    },

    close: () => handlers.clear(),
  }
}

/** JSON has no `undefined`: it becomes null. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value ?? null)
}

/** As between processes, the first reply is the answer, even a failure. */
async function firstOf(answers: readonly Promise<unknown>[], subject: string): Promise<unknown> {
  try {
    return await Promise.race(answers)
  } catch {
    throw new NoAnswerError(subject, 'failed')
  }
}

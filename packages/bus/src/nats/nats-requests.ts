import { type Msg, NoRespondersError, RequestError, TimeoutError } from '@nats-io/nats-core'
import { NoAnswerError, type RequestHandler } from '../bus.ts'
import { jsonOf } from '../in-process-requests.ts'
import type { NatsLink } from './nats-link.ts'

/** The first byte of an answer: whether it could be made. */
const MADE = '+'
const FAILED = '-'

/** Requests and answers between processes over NATS, on subjects that begin with `prefix`. */
export function createNatsRequests({ connection }: Pick<NatsLink, 'connection'>, prefix: string) {
  const reply = async (message: Msg, handler: RequestHandler) => {
    try {
      message.respond(MADE + jsonOf(await handler(JSON.parse(message.string()))))
    } catch {
      if (!connection.isClosed()) message.respond(FAILED)
    }
  }

  return {
    async request(subject: string, body: unknown, timeoutMs: number): Promise<unknown> {
      let text: string
      try {
        const answer = await connection.request(`${prefix}.${subject}`, jsonOf(body), { timeout: timeoutMs })
        text = answer.string()
      } catch (error) {
        if (isAbsence(error)) throw new NoAnswerError(subject, 'nobody')
        if (error instanceof TimeoutError) throw new NoAnswerError(subject, 'timeout')
        throw error
      }
      if (!text.startsWith(MADE)) throw new NoAnswerError(subject, 'failed')
      return JSON.parse(text.slice(MADE.length))
    },

    async requestAll(subject: string, body: unknown, withinMs: number): Promise<readonly unknown[]> {
      const come: unknown[] = []
      const options = { strategy: 'timer', maxWait: withinMs } as const
      try {
        const answers = await connection.requestMany(`${prefix}.${subject}`, jsonOf(body), options)
        for await (const answer of answers) {
          const text = answer.string()
          if (text.startsWith(MADE)) come.push(JSON.parse(text.slice(MADE.length)))
        }
      } catch (error) {
        if (!isAbsence(error)) throw error
      }
      return come
    },

    answer(subject: string, handler: RequestHandler) {
      const subscription = connection.subscribe(`${prefix}.${subject}`, {
        callback: (error, message) => {
          if (!error) void reply(message, handler)
        },
      })
      return () => subscription.unsubscribe()
    },
  }
}

function isAbsence(error: unknown): boolean {
  return (
    error instanceof NoRespondersError ||
    (error instanceof RequestError && error.cause instanceof NoRespondersError)
  )
}

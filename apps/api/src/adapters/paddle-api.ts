import { nameOf } from '@pairwire/basics'
import * as z from 'zod'

/** Calls of Paddle's API. Failures are named without any content sent or received. */
type PaddleApi = Readonly<{
  ask<Schema extends z.ZodType>(
    call: Readonly<{ method: 'GET' | 'POST'; path: string; body?: unknown; signal: AbortSignal }>,
    answer: Schema,
  ): Promise<Readonly<{ data: z.infer<Schema> }> | PaddleFailure>
}>

/** `code` is Paddle's own name of a refusal, if it gave one. */
type PaddleFailure = Readonly<{ failure: string; code?: string | undefined }>

/** @param url of the API, without a trailing slash */
export function createPaddleApi({ url, apiKey }: { url: string; apiKey: string }): PaddleApi {
  return {
    async ask({ method, path, body, signal }, answer) {
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          redirect: 'error',
          signal,
        })
        if (!response.ok) return { failure: `status ${response.status}`, code: await readCode(response) }

        const { data } = Answer.catch({ data: undefined }).parse(await response.json())
        const read = answer.safeParse(data)
        return read.success ? { data: read.data } : { failure: 'unknown form' }
      } catch (error) {
        return { failure: nameOf(error) }
      }
    },
  }
}

const Answer = z.object({ data: z.unknown() })

/** @see https://developer.paddle.com/api-reference/about/errors */
const Refusal = z.object({ error: z.object({ code: z.string().regex(/^[a-z_]{1,100}$/) }) })

async function readCode(response: Response): Promise<string | undefined> {
  const read = Refusal.safeParse(await response.json().catch(() => undefined))
  return read.success ? read.data.error.code : undefined
}

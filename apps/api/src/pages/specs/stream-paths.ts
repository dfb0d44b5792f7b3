/** The streams by the last part of their path, and the subscribe that has their params. */
const STREAMS = { swaps: 'swapSubscribe', pairs: 'newPairSubscribe', blocks: 'latestBlockSubscribe' }

const text = (description: string) => ({ schema: { type: 'string', description } })

/** A refusal below `/v1`. */
export const FACE_REFUSAL = {
  type: 'object',
  required: ['errorType', 'errorMessage', 'docs'],
  properties: {
    ...{ errorType: { type: 'string' }, errorMessage: { type: 'string' }, docs: { type: 'string' } },
    oldest: { type: ['string', 'null'] },
  },
}

const PARAMETERS = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 10_000 } },
  { name: 'seconds', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 300 } },
  { name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } },
]

/** The calls that stream over HTTP, by path. Their params and messages are those of the AsyncAPI document. */
export function streamPaths(refused: object) {
  return Object.fromEntries(
    Object.entries(STREAMS).map(([name, method]) => {
      const call = {
        parameters: PARAMETERS,
        security: BY_ANY_KEY,
        responses: {
          200: {
            description: 'The stream.',
            content: {
              'text/event-stream': text('A message each, as in asyncapi.json without subscription_id.'),
              'application/x-ndjson': text('The same, a line each.'),
            },
          },
          default: refused,
        },
      }
      const get = { summary: `Streams ${name}. The params of ${method} stand in the query.`, ...call }
      const content = { 'application/json': { schema: { type: 'object' } } }
      const post = { summary: `The same, with the params as the body.`, requestBody: { content }, ...call }
      return [`/v1/stream/${name}`, { get, post }]
    }),
  )
}

/** The three ways to send a key. */
export const KEY_SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
  keyAsBearer: { type: 'http', scheme: 'bearer' },
  keyInQuery: { type: 'apiKey', in: 'query', name: 'key' },
}

/** A call takes a key in any of them. */
export const BY_ANY_KEY = Object.keys(KEY_SCHEMES).map((name) => ({ [name]: [] }))

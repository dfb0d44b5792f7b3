const CURSOR = { type: ['string', 'null'] }
const FRAME = { type: 'object', description: 'As in asyncapi.json, without subscription_id.' }

const MESSAGE = {
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: {
    ...{ type: { enum: ['swap', 'newPair', 'gap', 'test'] }, simulated: { const: true } },
    timestamp: { type: 'string', format: 'date-time' },
    data: {
      type: 'object',
      required: ['endpoint', 'first', 'last', 'events'],
      properties: {
        ...{ endpoint: { type: 'string' }, first: CURSOR, last: CURSOR },
        events: { type: 'array', items: FRAME },
      },
    },
  },
}

/** The POST of events that a receiver gets, for the `webhooks` of an OpenAPI document. */
export const webhookMessage = {
  summary: 'Receives a message. The same id came before if it is sent again.',
  parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    return { name, in: 'header', required: true, schema: { type: 'string' } }
  }),
  requestBody: { required: true, content: { 'application/json': { schema: MESSAGE } } },
  responses: { '2XX': { description: 'Taken.' }, default: { description: 'Sent again, or a dead letter.' } },
}

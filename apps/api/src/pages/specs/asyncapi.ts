import {
  CLOSE_REASONS,
  ConnectionClosed,
  GapNotification,
  Notification,
  PairUpdateNotification,
  RequestFailed,
  RequestMethodName,
  SlotDroppedNotification,
  StreamError,
  StreamRequest,
  StreamResult,
  SubscriptionClosed,
} from '@pairwire/contract'
import { STREAM_SENTENCES } from '@pairwire/filter'
import type * as z from 'zod'
import type { DocsSettings } from '../docs/doc-page.ts'
import {
  LATEST_BLOCK_FRAME,
  NEW_PAIR_FRAME,
  PAIR_UPDATE_FRAME,
  SLOT_DROPPED_FRAME,
  SWAP_FRAME,
} from '../docs/example-frames.ts'
import { jsonSchema } from './openapi.ts'

type Schema = Readonly<Record<string, unknown>>

const [NewPairNotification, SwapNotification, LatestBlockNotification] = Notification.options

/** Every frame that the service sends, with an example. */
const SENT: Readonly<Record<string, readonly [z.ZodType, string, unknown]>> = {
  result: [
    StreamResult,
    'The answer to a request that succeeded.',
    { jsonrpc: '2.0', id: 1, result: { subscription_id: 1 } },
  ],
  error: [
    StreamError,
    'The answer to a request that failed.',
    {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32010,
        message: STREAM_SENTENCES.ALREADY_SUBSCRIBED('swap', 1),
        data: { errorType: 'ALREADY_SUBSCRIBED', docs: '/docs/errors/already-subscribed' },
      },
    },
  ],
  newPairNotification: [NewPairNotification, 'A new pair.', NEW_PAIR_FRAME],
  swapNotification: [SwapNotification, 'A swap.', SWAP_FRAME],
  latestBlockNotification: [LatestBlockNotification, 'A block.', LATEST_BLOCK_FRAME],
  gapNotification: [
    GapNotification,
    'Slots that could not be delivered, sent to every subscription whatever its filter. The cause is too_old only over HTTP and in webhooks.',
    {
      method: 'gapNotification',
      params: {
        subscription_id: 1,
        fromSlot: 454_790_130,
        toSlot: 454_790_141,
        cause: 'upstream',
        resume_from: null,
      },
    },
  ],
  pairUpdateNotification: [
    PairUpdateNotification,
    'What the service learned about a new pair’s token within a minute of its notification.',
    PAIR_UPDATE_FRAME,
  ],
  slotDroppedNotification: [
    SlotDroppedNotification,
    'Transactions that are not on the chain after all, and whose events a subscription with commitment “processed” already got.',
    SLOT_DROPPED_FRAME,
  ],
  requestFailed: [
    RequestFailed,
    'The refusal of a request that has no readable id.',
    {
      method: 'requestFailed',
      params: { code: -32700, message: 'The frame is not JSON: see line 1, column 12.' },
    },
  ],
  subscriptionClosed: [
    SubscriptionClosed,
    'The last frame of a subscription that the service ends.',
    {
      subscription_id: 1,
      method: 'subscriptionClosed',
      reason: CLOSE_REASONS.restart.sentence,
    },
  ],
}

/** What only streams over HTTP send. */
const SENT_OVER_HTTP: typeof SENT = {
  connectionClosed: [
    ConnectionClosed,
    'The last message of a stream over HTTP that the service ends.',
    {
      method: 'connectionClosed',
      code: CLOSE_REASONS.restart.code,
      reason: CLOSE_REASONS.restart.sentence,
    },
  ],
}

/** What a client sends. */
const REQUEST = {
  name: 'request',
  summary: 'A request: subscribe, unsubscribe, update or ping.',
  example: { jsonrpc: '2.0', id: 1, method: 'swapSubscribe', params: { include: { usdValue: 10_000 } } },
}

/** The stream as an AsyncAPI 3.0 document, generated from the schemas of its frames. */
export function asyncApi({
  streamUrl,
  publicUrl,
  brand,
}: Pick<DocsSettings, 'streamUrl' | 'publicUrl' | 'brand'>): Schema {
  const { host, protocol, pathname } = new URL(streamUrl)
  const names = Object.keys(SENT)
  const ofChannel = (name: string) => ({ $ref: `#/channels/stream/messages/${name}` })
  const channel = { $ref: '#/channels/stream' }
  const ask = {
    action: 'receive',
    summary: 'Requests of a client.',
    channel,
    messages: [ofChannel('request')],
  }
  const tell = { action: 'send', summary: 'Answers and events.', channel, messages: names.map(ofChannel) }
  const tellOverHttp = {
    action: 'send',
    summary: 'The frames of the stream, without subscription_id, and the end.',
    channel: { $ref: '#/channels/overHttp' },
  }

  return {
    asyncapi: '3.0.0',
    info: {
      title: `${brand.name} stream`,
      version: '1.0.0',
      description: 'Live Solana new pairs and swaps. Frames are text, one JSON object each.',
      license: { name: 'Apache-2.0' },
      externalDocs: { url: `${publicUrl}/docs` },
    },
    defaultContentType: 'application/json',
    servers: {
      here: {
        host,
        protocol: protocol.replace(':', ''),
        pathname,
        security: ['header', 'query'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
      },
    },
    channels: {
      stream: {
        address: '/',
        title: 'The stream',
        servers: [{ $ref: '#/servers/here' }],
        messages: refsOf(['request', ...names]),
      },
      overHttp: {
        address: '/v1/stream/{name}',
        title: 'Streams over HTTP, which openapi.json describes',
        parameters: { name: { enum: ['swaps', 'pairs', 'blocks'] } },
        messages: refsOf(Object.keys(SENT_OVER_HTTP)),
      },
    },
    operations: { ask, tell, tellOverHttp },
    components: {
      messages: messages(),
      securitySchemes: {
        header: { type: 'httpApiKey', name: 'X-API-KEY', in: 'header' },
        query: { type: 'httpApiKey', name: 'key', in: 'query' },
      },
    },
  }
}

function refsOf(names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]))
}

function messages(): Schema {
  const { example, ...about } = REQUEST
  const request = jsonSchema(StreamRequest, 'input') as Schema & { properties: Schema }
  const method = jsonSchema(RequestMethodName, 'input')
  return {
    request: {
      ...about,
      payload: { ...request, properties: { ...request.properties, method } },
      examples: [{ payload: example }],
    },
    ...Object.fromEntries(
      Object.entries({ ...SENT, ...SENT_OVER_HTTP }).map(([name, [schema, summary, example]]) => [
        name,
        { name, summary, payload: jsonSchema(schema, 'output'), examples: [{ payload: example }] },
      ]),
    ),
  }
}

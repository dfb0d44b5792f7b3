import { expect, it } from 'vitest'
import { CONNECTION_ERROR, LOG_IN_FIRST, WEBSOCKET_CLOSED } from './words.ts'

it("the specification's words are spelled exactly", () => {
  expect([WEBSOCKET_CLOSED, CONNECTION_ERROR, LOG_IN_FIRST]).toEqual([
    'Websocket closed',
    'Error connecting to websocket, check api key and connection.',
    'Please log in to start the stream...',
  ])
})

import { isObject, readObject } from '@pairwire/basics'
import { decodeBase58 } from '@pairwire/contract'
import { isSlot } from '../chain/chain-numbers.ts'

/** A message of a JSON-RPC websocket. */
export type Message =
  | Readonly<{ kind: 'answer'; id: number; subscription: number }>
  | Readonly<{ kind: 'refusal'; id: number; sentence: string }>
  /** The logs of a successful transaction. */
  | Readonly<{
      kind: 'logs'
      subscription: number
      slot: number
      /** 64 bytes. */
      signature: Uint8Array
      logs: readonly string[]
    }>
  /** A failed transaction, a slot, or anything else that only shows that the connection is alive. */
  | Readonly<{ kind: 'sign' }>
  | Readonly<{ kind: 'unreadable'; reason: string }>

/** Parses a message of a websocket that answers to `logsSubscribe`. @see https://solana.com/docs/rpc/websocket */
export function readMessage(text: string): Message {
  const message = readObject(text)
  if (!message) return unreadable('it is no JSON object')
  if (message.method === 'logsNotification') return readLogs(message.params)
  if (typeof message.id !== 'number') return SIGN
  if (typeof message.result === 'number') {
    return { kind: 'answer', id: message.id, subscription: message.result }
  }
  const error = isObject(message.error) ? message.error : {}
  return { kind: 'refusal', id: message.id, sentence: String(error.message ?? '').slice(0, 200) }
}

const SIGN: Message = { kind: 'sign' }

function readLogs(params: unknown): Message {
  const { result, subscription } = isObject(params) ? params : {}
  const { context, value } = isObject(result) ? result : {}
  const slot = isObject(context) ? context.slot : undefined
  if (typeof subscription !== 'number' || !isSlot(slot) || !isObject(value)) {
    return unreadable('a notification of logs lacks its subscription, slot or value')
  }
  const { err, logs } = value
  // The chain reverted it, whatever it logged. Only an explicit null means success.
  if (err !== null && err !== undefined) return SIGN
  const signature = typeof value.signature === 'string' ? decodeBase58(value.signature) : undefined
  if (err === undefined || signature?.length !== 64) {
    return unreadable('a notification of logs lacks its signature, or whether the transaction failed')
  }
  if (!Array.isArray(logs) || !logs.every((line) => typeof line === 'string')) {
    return unreadable('a notification of logs has no logs')
  }
  return { kind: 'logs', subscription, slot, signature, logs }
}

function unreadable(reason: string): Message {
  return { kind: 'unreadable', reason }
}

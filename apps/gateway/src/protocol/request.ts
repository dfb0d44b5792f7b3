import { REQUEST_METHODS, type RequestMethod, StreamRequest } from '@pairwire/contract'
import { type Fields, indexFields, nearest, quoted, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { GatewayLimits } from '../limits.ts'
import { placeOf, readJsonSource } from './json-source.ts'

/** A parsed frame from a client. */
export type ClientRequest = Readonly<{
  /** Source text of the id, to be echoed; undefined when absent. */
  id: string | undefined
  /** Whether an error may carry the id: without one, and for null and 0, an older client's reader stops for good. */
  hasUsableId: boolean
  /** The call, or why it cannot be executed. */
  call: RequestCall | StreamFault
}>

/** A method with its params; `outside` are the members next to them, where some programs put what belongs inside. */
export type RequestCall = Readonly<{
  method: RequestMethod
  params: Fields
  outside: Fields
}>

/** Limits of a frame besides its size: both make `JSON.parse` and all later steps expensive. */
type FrameBounds = Pick<GatewayLimits, 'frameMaxMembers' | 'frameMaxValues'>

/** Parses a text frame. Never throws: a fault replaces the call. */
export function readRequest(text: string, bounds: FrameBounds): ClientRequest {
  const { fault, member, members, values } = readJsonSource(text, 'id')
  if (fault !== undefined) {
    const { line, column } = placeOf(text, fault)
    const message = STREAM_SENTENCES.NOT_JSON(line, column)
    return answerable(undefined, new StreamFault('NOT_JSON', message))
  }
  const isWithin = members <= bounds.frameMaxMembers && values <= bounds.frameMaxValues
  return answerable(
    member,
    isWithin
      ? readCall(JSON.parse(text))
      : new StreamFault('TOO_MANY_MEMBERS', STREAM_SENTENCES.TOO_MANY_MEMBERS()),
  )
}

/** Parses a text frame only for its id, to refuse it with `fault` whatever else it holds. */
export function readRefused(text: string, fault: StreamFault): ClientRequest {
  const source = readJsonSource(text, 'id')
  return answerable(source.fault === undefined ? source.member : undefined, fault)
}

function answerable(id: string | undefined, call: RequestCall | StreamFault): ClientRequest {
  const isZero = id !== undefined && /^[-\d]/.test(id) && Number(id) === 0
  return { id, hasUsableId: id !== undefined && id !== 'null' && !isZero, call }
}

function readCall(value: unknown): RequestCall | StreamFault {
  if (Array.isArray(value)) {
    return new StreamFault('BATCH', STREAM_SENTENCES.BATCH())
  }
  if (typeof value !== 'object' || value === null) {
    return new StreamFault('NOT_A_REQUEST', STREAM_SENTENCES.NOT_A_REQUEST())
  }

  const outside = value as Readonly<Record<string, unknown>> // JSON objects have no other keys
  const envelope = StreamRequest.safeParse(outside)
  if (!envelope.success) {
    return envelope.error.issues[0]?.path[0] === 'params'
      ? new StreamFault('INVALID_PARAMS', STREAM_SENTENCES.INVALID_PARAMS())
      : new StreamFault('NOT_A_REQUEST', 'method must be a string, such as "swapSubscribe".')
  }

  const { method: name, params } = envelope.data
  const method = REQUEST_METHODS.find((known) => known === name)
  if (!method) return unknownMethod(name)
  return { method, params: indexFields(params ?? {}), outside: indexFields(outside) }
}

function unknownMethod(name: string): StreamFault {
  const meant = nearest(name, REQUEST_METHODS)
  const hint = meant ? `Did you mean ${meant}?` : `There are: ${REQUEST_METHODS.join(', ')}.`
  return new StreamFault('UNKNOWN_METHOD', STREAM_SENTENCES.UNKNOWN_METHOD(quoted(name), hint))
}

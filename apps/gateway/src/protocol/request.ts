import { REQUEST_METHODS, type RequestMethod, StreamRequest } from '@pairwire/contract'
import { type Fields, indexFields, nearest, quoted, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { GatewayLimits } from '../limits.ts'
import { placeOf, readJsonSource } from './json-source.ts'

/** One frame from a client, read. */
export type ClientRequest = Readonly<{
  /** Source text of the id as it came, to be echoed; undefined when it was absent. */
  id: string | undefined
  /** Whether an error may carry the id: an absent one, null and 0 stop an older client's reader for good. */
  hasUsableId: boolean
  /** What is asked, or why it cannot be carried out. */
  call: RequestCall | StreamFault
}>

/** A method with its params; `outside` are the members beside them, where some programs put what belongs inside. */
export type RequestCall = Readonly<{
  method: RequestMethod
  params: Fields
  outside: Fields
}>

/** What bounds a frame beside its size: both make `JSON.parse` and all that follows dear. */
type FrameBounds = Pick<GatewayLimits, 'frameMaxMembers' | 'frameMaxValues'>

/** Reads a text frame. Never throws: a fault takes the place of the call. */
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

/** Reads a text frame for its id only, to refuse it with `fault` whatever else it holds. */
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

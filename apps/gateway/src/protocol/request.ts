import { isObject } from '@pairwire/basics'
import { REQUEST_METHODS, type RequestMethod, StreamRequest } from '@pairwire/contract'
import { type Fields, indexFields, nearest, quoted, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { GatewayLimits } from '../limits.ts'
import { type JsonSource, placeOf, readJsonSource } from './json-source.ts'

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
  const source = readJsonSource(text, 'id')
  const fault = faultOf(source, text, bounds)
  const id = source.fault === undefined ? source.member : undefined
  return answerable(id, fault ?? readCall(JSON.parse(text)))
}

/** Parses the params of a subscribe that stand alone. @throws StreamFault if they are none */
export function readParams(text: string, bounds: FrameBounds): Readonly<Record<string, unknown>> {
  const fault = faultOf(readJsonSource(text, 'params'), text, bounds)
  if (fault) throw fault
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new StreamFault('INVALID_PARAMS', STREAM_SENTENCES.INVALID_PARAMS())
  return value
}

function faultOf(source: JsonSource, text: string, bounds: FrameBounds): StreamFault | undefined {
  if (source.fault !== undefined) {
    const { line, column } = placeOf(text, source.fault)
    return new StreamFault('NOT_JSON', STREAM_SENTENCES.NOT_JSON(line, column))
  }
  if (source.members <= bounds.frameMaxMembers && source.values <= bounds.frameMaxValues) return undefined
  return new StreamFault('TOO_MANY_MEMBERS', STREAM_SENTENCES.TOO_MANY_MEMBERS())
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

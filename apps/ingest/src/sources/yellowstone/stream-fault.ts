import { status } from '@grpc/grpc-js'
import { FeedError } from '../chain/feed.ts'

/** An error as grpc-js gives it. */
type GrpcError = Readonly<{ code?: number; details?: string; message: string }>

/** Explains a gRPC error to the operator. `fromSlot` is the slot that the stream was asked to begin with. */
export function faultOf(error: GrpcError, fromSlot: number | undefined, url?: URL): FeedError {
  const said = quote(error.details ?? error.message)
  switch (error.code) {
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return new FeedError('unauthorised', `The endpoint refuses our token: ${said}`)
    case status.UNIMPLEMENTED:
      return new FeedError('unusable', `There is no Yellowstone service at this address: ${said}`)
    case status.DEADLINE_EXCEEDED:
      return new FeedError('unreachable', 'The endpoint did not answer within 10 s.')
    case status.UNAVAILABLE:
      return new FeedError('unreachable', unreachable(error.details ?? '', url))
    case status.RESOURCE_EXHAUSTED:
      return new FeedError('broken', `The endpoint, or a message of it, is over a limit: ${said}`)
    case status.OUT_OF_RANGE:
      return replayRefused(said, error.details ?? '')
    case status.INVALID_ARGUMENT:
      return fromSlot === undefined
        ? new FeedError('unusable', `The endpoint rejects our request: ${said}`)
        : replayRefused(said, error.details ?? '')
    case status.INTERNAL:
      if (/from_slot is not supported/i.test(said)) return replayRefused(said, '')
      if (/lagged/i.test(said)) {
        return new FeedError('slow', `The endpoint dropped us because we did not keep up with it: ${said}`)
      }
      return new FeedError('broken', `The endpoint failed: ${said}`)
    default:
      return new FeedError('broken', `The stream broke off: ${said}`)
  }
}

function replayRefused(said: string, details: string): FeedError {
  const last = /last available:\s*(\d+)/i.exec(details)?.[1]
  return new FeedError(
    'replayRefused',
    `The endpoint no longer has the missed slots: ${said}`,
    last === undefined ? undefined : Number(last),
  )
}

function unreachable(details: string, url: URL | undefined): string {
  const host = url ? ` ${url.host}` : ''
  if (/ENOTFOUND|EAI_AGAIN|Name resolution/i.test(details)) return `There is no such host as${host}.`
  if (/ECONNREFUSED/i.test(details)) return `Nothing listens at${host}: the connection is refused.`
  if (/wrong version number/i.test(details))
    return `The server at${host || ' this address'} does not speak TLS.`
  if (/certificate|CERT_|SSL|TLS/i.test(details)) {
    return `A secure connection to${host} cannot be made: ${quote(bareReason(details))}`
  }
  if (/Protocol error/i.test(details)) return `The server at${host || ' this address'} does not speak gRPC.`
  return `The endpoint cannot be reached: ${quote(bareReason(details))}`
}

/** Removes the time, so that a repeated sentence is recognised and logged once. */
function bareReason(details: string): string {
  return /Last error: (.*?) \(\d{4}-/s.exec(details)?.[1] ?? details
}

/** Quotes a server's text, in one line and of limited length. */
function quote(text: string): string {
  return `"${text.replace(/\s+/g, ' ').slice(0, 200)}"`
}

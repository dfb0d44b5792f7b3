import {
  CLOSE_REASONS,
  type CloseReasonName,
  ERROR_TYPES,
  type ErrorType,
  STREAM_ERROR_TYPES,
  STREAM_SENTENCES,
  type StreamErrorType,
} from '@pairwire/contract'
import { CLOSE_ADVICE, HTTP_ADVICE, STREAM_ADVICE } from './error-advice.ts'

/** What is known of one way in which a request, a stream or a call can fail. */
export type ErrorPage = Readonly<{
  /** Last part of its address, `/docs/errors/<name>`. */
  name: string
  title: string
  kind: 'stream' | 'close' | 'http'
  /** Code of the stream, close code, or HTTP status. */
  code: number
  /** The sentence that comes with it; of the stream an example, as it differs from case to case. */
  sentence: string
  happened: string
  remedy: string
  /** For close codes: whether a program should connect again by itself. */
  comeBack: boolean | undefined
}>

/** Every page under /docs/errors, in the order of the contract. */
export const ERROR_PAGES: readonly ErrorPage[] = [...streamPages(), ...closePages(), ...httpPages()]

/**
 * The page for a name however it is spelled: `key-unknown`, `keyUnknown`, `NOT_JSON`, `ERR_NOT_FOUND`.
 *
 * @returns undefined when there is none
 */
export function findErrorPage(name: string): ErrorPage | undefined {
  const wanted = pageName(name)
  return ERROR_PAGES.find((page) => page.name === wanted)
}

/** The last part of an error page's address, from the contract's name of the error. */
export function pageName(name: string): string {
  const words = /[a-z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1-$2') : name
  return words.toLowerCase().replaceAll('_', '-').replace(/^err-/, '')
}

function streamPages(): ErrorPage[] {
  return Object.entries(STREAM_ADVICE).map(([name, advice]) => ({
    name: pageName(name),
    title: name,
    kind: 'stream',
    // The keys of the advice are the error types, by its type.
    code: STREAM_ERROR_TYPES[name as StreamErrorType],
    sentence: STREAM_SENTENCES[name as StreamErrorType](),
    comeBack: undefined,
    ...advice,
  }))
}

function closePages(): ErrorPage[] {
  return Object.entries(CLOSE_ADVICE).map(([name, advice]) => {
    // The keys of the advice are the keys of the reasons, by its type.
    const { code, sentence, comeBack } = CLOSE_REASONS[name as CloseReasonName]
    return { name: pageName(name), title: asTitle(name), kind: 'close', code, sentence, comeBack, ...advice }
  })
}

function httpPages(): ErrorPage[] {
  return Object.entries(HTTP_ADVICE).map(([name, advice]) => {
    // The keys of the advice are the error types, by its type.
    const { status, message } = ERROR_TYPES[name as ErrorType]
    return {
      name: pageName(name),
      title: name,
      kind: 'http',
      code: status,
      sentence: message,
      comeBack: undefined,
      ...advice,
    }
  })
}

/** `keyUnknown` becomes `Key unknown`. */
function asTitle(name: string): string {
  const words = pageName(name).replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

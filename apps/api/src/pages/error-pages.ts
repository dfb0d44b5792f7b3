import {
  CLOSE_REASONS,
  ERROR_TYPES,
  errorPageName,
  SDK_ERROR_TYPES,
  SDK_LINE_ERRORS,
  STREAM_ERROR_TYPES,
  type StreamErrorType,
} from '@pairwire/contract'
import { STREAM_SENTENCES } from '@pairwire/filter'

/** An error of a request, a stream, a call or the SDK, as in the contract; the remedy is in the docs. */
export type ErrorPage = Readonly<{
  /** Last part of its address, `/docs/errors/<name>`. */
  name: string
  title: string
  kind: 'stream' | 'close' | 'http' | 'sdk'
  /** The stream's code, close code, or HTTP status; the SDK's own errors have none. */
  code: number | undefined
  /** The sentence sent with it; for the stream an example, since it varies. */
  sentence: string
  /** For close codes: whether a program should reconnect by itself. */
  comeBack: boolean | undefined
}>

/** Every page under /docs/errors, in the order of the contract. */
export const ERROR_PAGES: readonly ErrorPage[] = [
  ...streamPages(),
  ...closePages(),
  ...httpPages(),
  ...sdkPages(),
]

/** Finds the page for a name in any spelling: `key-unknown`, `keyUnknown`, `ERR_NOT_FOUND`; undefined if there is none. */
export function findErrorPage(name: string): ErrorPage | undefined {
  const wanted = errorPageName(name)
  return ERROR_PAGES.find((page) => page.name === wanted)
}

/** The path of the page on an error of the contract. */
export function errorPath(name: string): string {
  return `/docs/errors/${errorPageName(name)}`
}

function streamPages(): ErrorPage[] {
  return Object.entries(STREAM_ERROR_TYPES).map(([name, code]) => ({
    name: errorPageName(name),
    title: name,
    kind: 'stream',
    code,
    // Some have figures of plans, which a start sets later than this. Their names are the error types, by their type.
    get sentence() {
      return STREAM_SENTENCES[name as StreamErrorType]()
    },
    comeBack: undefined,
  }))
}

function closePages(): ErrorPage[] {
  return Object.entries(CLOSE_REASONS).map(([name, { code, sentence, comeBack }]) => ({
    name: errorPageName(name),
    title: asTitle(name),
    kind: 'close',
    code,
    sentence,
    comeBack,
  }))
}

/** A call's error with the name of a close code is explained on the close code's page. */
function httpPages(): ErrorPage[] {
  const closes = new Set(Object.keys(CLOSE_REASONS).map(errorPageName))
  return Object.entries(ERROR_TYPES)
    .filter(([name]) => !closes.has(errorPageName(name)))
    .map(([name, { status, message }]) => ({
      name: errorPageName(name),
      title: name,
      kind: 'http',
      code: status,
      sentence: message,
      comeBack: undefined,
    }))
}

function sdkPages(): ErrorPage[] {
  return Object.entries({ ...SDK_ERROR_TYPES, ...SDK_LINE_ERRORS }).map(([name, sentence]) => ({
    name: errorPageName(name),
    title: name,
    kind: 'sdk',
    code: undefined,
    sentence,
    comeBack: undefined,
  }))
}

/** `keyUnknown` becomes `Key unknown`. */
function asTitle(name: string): string {
  const words = errorPageName(name).replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

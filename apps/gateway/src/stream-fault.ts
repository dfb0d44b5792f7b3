import { STREAM_ERROR_TYPES, type StreamErrorCode, type StreamErrorType } from '@pairwire/contract'

/** A request that is refused, with the sentence that says how to do it right. */
export class StreamFault extends Error {
  readonly errorType: StreamErrorType
  /** What the answer says beside, for programs. */
  readonly data: Readonly<{ oldest?: string | null }>

  constructor(errorType: StreamErrorType, message: string, data: Readonly<{ oldest?: string | null }> = {}) {
    super(message)
    this.name = 'StreamFault'
    this.errorType = errorType
    this.data = data
  }

  get code(): StreamErrorCode {
    return STREAM_ERROR_TYPES[this.errorType]
  }
}

/** The stream cannot be read at present: who asks for what it has missed has to come back. */
export class StreamAwayError extends Error {
  constructor(cause: unknown) {
    super('What was missed cannot be read.', { cause })
    this.name = 'StreamAwayError'
  }
}

/** Address of the page that explains an error or a close reason: `EMPTY_LIST` or `keyUnknown`. */
export function errorPage(docsUrl: string, name: string): string {
  const words = /[a-z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1-$2') : name.replaceAll('_', '-')
  return `${docsUrl}/errors/${words.toLowerCase()}`
}

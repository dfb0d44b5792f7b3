import type { Clock, Log } from '@pairwire/basics'
import { STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { Hub } from '../fanout/hub.ts'
import type { GatewayLimits } from '../limits.ts'
import { errorAnswer, failureNotice } from '../protocol/answers.ts'
import { type ClientRequest, readRefused, readRequest } from '../protocol/request.ts'
import { StreamAwayError } from '../protocol/stream-fault.ts'
import type { Allowance } from '../rates/allowance.ts'
import { createRecentCount, type RecentCount } from '../rates/rate.ts'
import { execute } from './commands.ts'
import type { ConnectionSubscriptions } from './connection-subscriptions.ts'

/** What requests need from their connection. */
type Requester = Readonly<{
  accountId: string
  allowance: Allowance
  target: ConnectionSubscriptions
  isOpen(): boolean
  say(text: string): void
  /** Called with the error type of each refused request. */
  noteFault(errorType: string): void
  /** Called after too many frames that cannot be answered by id, or when missed events cannot be read. */
  end(reason: 'malformed' | 'streamAway'): void
}>

/** The parts that the requests of all connections share. */
export type RequestContext = Readonly<{
  clock: Clock
  limits: GatewayLimits
  log: Log
  docsUrl: string
  supportEmail: string
  simulated: boolean
  servesEarly: boolean
  /** Requests are executed at the edge of its window. */
  hub: Pick<Hub, 'atEdge'>
}>

const TEN_SECONDS = 10_000

/** Handles the text frames of one connection: each is executed at the edge of the window, and answered once. */
export class Requests {
  readonly #requester: Requester
  readonly #context: RequestContext
  readonly #failures: RecentCount

  constructor(requester: Requester, context: RequestContext) {
    const { clock, limits } = context
    this.#requester = requester
    this.#context = context
    this.#failures = createRecentCount(clock, limits.failuresPerTenSeconds, TEN_SECONDS)
  }

  take(frame: Buffer): void {
    const { allowance, isOpen } = this.#requester
    const { limits, hub } = this.#context
    const text = frame.toString()
    const request = allowance.takeRequest(frame.length) ? readRequest(text, limits) : readBeyondRates(text)
    hub.atEdge(() => {
      if (isOpen()) this.#carryOut(request)
    })
  }

  #carryOut(request: ClientRequest): void {
    const { target, say, isOpen } = this.#requester
    const { call, id } = request
    try {
      if (call instanceof StreamFault) throw call
      const answer = execute(target, call, id, this.#context)
      if (answer instanceof Promise) {
        answer.then(
          (later) => isOpen() && say(later),
          (error) => this.#fail(request, error),
        )
      } else if (answer !== undefined) say(answer)
    } catch (error) {
      this.#fail(request, error)
    }
  }

  #fail(request: ClientRequest, error: unknown): void {
    const { accountId, isOpen, end } = this.#requester
    if (!isOpen()) return
    if (error instanceof StreamFault) {
      this.#refuse(request, error)
      return
    }
    if (error instanceof StreamAwayError) {
      end('streamAway')
      return
    }
    this.#context.log.error('A request failed inside the gateway.', { error, accountId })
    this.#refuse(request, new StreamFault('INTERNAL_ERROR', STREAM_SENTENCES.INTERNAL_ERROR()))
  }

  #refuse({ id, hasUsableId }: ClientRequest, fault: StreamFault): void {
    const { say, noteFault, end } = this.#requester
    noteFault(fault.errorType)
    if (hasUsableId && id !== undefined) say(errorAnswer(id, fault, this.#context.docsUrl))
    else if (this.#failures.note()) say(failureNotice(fault))
    else end('malformed')
  }
}

/** Parses a request beyond the rates only to answer it by its id. */
function readBeyondRates(text: string): ClientRequest {
  return readRefused(text, new StreamFault('TOO_MANY_REQUESTS', STREAM_SENTENCES.TOO_MANY_REQUESTS()))
}

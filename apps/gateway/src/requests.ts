import { STREAM_SENTENCES, StreamFault } from '@pairwire/contract'
import type { Clock, Log } from '@pairwire/process'
import type { Allowance } from './allowance.ts'
import { errorAnswer, failureNotice } from './answers.ts'
import { type CommandTarget, execute } from './commands.ts'
import type { GatewayLimits } from './limits.ts'
import { createRecentCount } from './rate.ts'
import { type ClientRequest, readRefused, readRequest } from './request.ts'
import { StreamAwayError } from './stream-fault.ts'

/** What requests need of their connection. */
export type Requester = Readonly<{
  accountId: string
  allowance: Allowance
  target: CommandTarget
  isOpen(): boolean
  say(text: string): void
  /** Called when too much came that could not be answered by id, and when what a client has missed cannot be read. */
  end(reason: 'malformed' | 'streamAway'): void
}>

/** What requests share with those of other connections. */
export type RequestContext = Readonly<{
  clock: Clock
  limits: GatewayLimits
  log: Log
  docsUrl: string
  simulated: boolean
  servesEarly: boolean
  /** Carries out at the edge of the window. */
  atEdge(change: () => void): void
}>

const TEN_SECONDS = 10_000

/** Takes the text frames of one connection: each is carried out at the edge of the window, and answered once. */
export function createRequests(
  { accountId, allowance, target, isOpen, say, end }: Requester,
  { clock, limits, log, docsUrl, simulated, servesEarly, atEdge }: RequestContext,
): (frame: Buffer) => void {
  const failures = createRecentCount(clock, limits.failuresPerTenSeconds, TEN_SECONDS)

  const refuse = ({ id, hasUsableId }: ClientRequest, fault: StreamFault) => {
    if (hasUsableId && id !== undefined) say(errorAnswer(id, fault, docsUrl))
    else if (failures.note()) say(failureNotice(fault))
    else end('malformed')
  }

  const carryOut = (request: ClientRequest) => {
    const { call, id } = request
    try {
      if (call instanceof StreamFault) throw call
      const answer = execute(target, call, id, { simulated, servesEarly })
      if (answer instanceof Promise) answer.then(sayLater, (error) => fail(request, error))
      else if (answer !== undefined) say(answer)
    } catch (error) {
      fail(request, error)
    }
  }

  const sayLater = (answer: string) => {
    if (isOpen()) say(answer)
  }

  const fail = (request: ClientRequest, error: unknown) => {
    if (!isOpen()) return
    if (error instanceof StreamFault) {
      refuse(request, error)
      return
    }
    if (error instanceof StreamAwayError) {
      log.warn('Cannot read the events a client has missed; the client has to reconnect.', {
        error: error.cause,
        accountId,
      })
      end('streamAway')
      return
    }
    log.error('A request failed inside the gateway.', { error, accountId })
    refuse(request, new StreamFault('INTERNAL_ERROR', STREAM_SENTENCES.INTERNAL_ERROR()))
  }

  /** Beyond the rates a request is read only to answer it by its id. */
  const readForRefusal = (text: string): ClientRequest => {
    const fault = new StreamFault('TOO_MANY_REQUESTS', STREAM_SENTENCES.TOO_MANY_REQUESTS())
    return readRefused(text, fault)
  }

  return (frame) => {
    const isAllowed = allowance.takeRequest(frame.length)
    const text = frame.toString()
    const request = isAllowed ? readRequest(text, limits) : readForRefusal(text)
    atEdge(() => {
      if (isOpen()) carryOut(request)
    })
  }
}

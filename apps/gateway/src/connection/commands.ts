import {
  COMMITMENTS,
  type Commitment,
  parseCursor,
  type RequestMethod,
  type StreamKind,
  timeText,
} from '@pairwire/contract'
import {
  assertPlanAllows,
  assertPlayable,
  CHANGE_IT,
  type Fields,
  indexFields,
  invalidParams,
  type PlaybackWindow,
  quoted,
  readInterest,
  readPlayback,
  STREAM_SENTENCES,
  StreamFault,
} from '@pairwire/filter'
import { resultAnswer } from '../protocol/answers.ts'
import type { RequestCall } from '../protocol/request.ts'
import type { Origin, Subscription } from '../protocol/subscription.ts'
import { type ConnectionSubscriptions, swapsUsedUp } from './connection-subscriptions.ts'

/** Facts about the source: whether it is simulated, and whether it sends events before confirmation. */
type SourceFacts = Readonly<{ simulated: boolean; servesEarly: boolean }>

type Command = (target: ConnectionSubscriptions, call: RequestCall, source: SourceFacts) => unknown

/**
 * Executes a request. Call it at the edge of a window.
 *
 * @param id source text of the request's id
 * @returns the answer; undefined if none is due; a promise if it has to wait for the stream
 * @throws StreamFault, or rejects with it, when the request is refused; nothing has changed then
 */
export function execute(
  target: ConnectionSubscriptions,
  call: RequestCall,
  id: string | undefined,
  source: SourceFacts,
): string | undefined | Promise<string> {
  if (SIGNS_OF_LIFE.has(call.method) && id === undefined) return undefined
  const result = COMMANDS[call.method](target, call, source)
  if (result instanceof Promise) return result.then((later) => resultAnswer(id, later))
  return resultAnswer(id, result)
}

/** Methods that are answered only if they have an id. */
const SIGNS_OF_LIFE: ReadonlySet<RequestMethod> = new Set(['ping', 'heartbeat'])

const COMMANDS: Record<RequestMethod, Command> = {
  ping: () => 'pong',
  // Programs read `result.message`, and drop the stream over a string.
  heartbeat: () => ({ message: 'pong' }),
  newPairSubscribe: subscribeTo('newPair'),
  swapSubscribe: subscribeTo('swap'),
  latestBlockSubscribe: subscribeTo('latestBlock'),
  newPairUnsubscribe: unsubscribeFrom('newPair'),
  swapUnsubscribe: unsubscribeFrom('swap'),
  latestBlockUnsubscribe: unsubscribeFrom('latestBlock'),
  updateSubscriptionParams: update,
  startSimulation(target) {
    target.startPlayback()
    return true
  },
}

function subscribeTo(kind: StreamKind): Command {
  return (target, { params, outside }, { simulated, servesEarly }) => {
    // Its own mistakes come first, since "already subscribed" would hide them.
    const window = readPlayback(params)
    const { commitment, interest, cursor } = readSubscribe(kind, params, outside, servesEarly)
    const origin = window ? 'playback' : commitment
    const present = target.find(kind, origin)
    if (present) throw alreadySubscribed(present)
    if (target.isOpening(kind, origin)) throw stillOpening(kind)
    if (target.isMixed(kind, origin)) throw mixedWithReplay(origin)

    const resultOf = ({ id }: Subscription) => ({
      subscription_id: id,
      ...(window && { replay: windowText(window) }),
      ...(simulated && { simulated }),
    })
    if (window) return target.play(interest, window, cursor).then(resultOf)
    if (kind === 'swap' && target.areSwapsUsedUp) throw swapsUsedUp(target.plan)
    assertPlanAllows(interest, target.plan)
    return cursor === undefined
      ? resultOf(target.subscribe(interest, commitment))
      : target.resume(interest, cursor).then(resultOf)
  }
}

/**
 * Reads the params of a subscribe to the live stream; `cursor` is the place to resume from.
 *
 * @throws StreamFault with a sentence for each known mistake
 */
export function readSubscribe(kind: StreamKind, params: Fields, outside: Fields, servesEarly: boolean) {
  const commitment = readCommitment(params, servesEarly)
  const interest = readInterest(kind, { params, around: [outside], isUpdate: false })
  const cursor = readResumeFrom(params)
  if (commitment === 'processed' && cursor !== undefined)
    throw invalidParams(
      'A subscription of commitment "processed" cannot be resumed: its events have no cursor. Leave resume_from out, or resume a confirmed subscription.',
    )
  return { commitment, interest, cursor }
}

function unsubscribeFrom(kind: StreamKind): Command {
  return (target, { method, params }) => {
    const subscription = findSubscription(target, params, kind)
    if (subscription.kind !== kind) {
      throw new StreamFault(
        'UNKNOWN_SUBSCRIPTION',
        `Subscription ${subscription.id} is not a ${kind} subscription. End it with ${subscription.kind}Unsubscribe instead of ${method}.`,
      )
    }
    target.unsubscribe(subscription)
    return true
  }
}

function update(target: ConnectionSubscriptions, { params, outside }: RequestCall): true {
  const subscription = findSubscription(target, params)
  const changed = params.read('params') ?? params.read('update')
  if (typeof changed !== 'object' || changed === null || Array.isArray(changed)) {
    throw invalidParams(
      'Put the new parameters into params.params: {"subscription_id":1,"params":{"include":{"walletAccount":["…"]}}}.',
    )
  }

  const place = { params: indexFields(changed), around: [params, outside], isUpdate: true }
  const interest = readInterest(subscription.kind, place)
  if (subscription.origin === 'playback') assertPlayable(place.params)
  else assertPlanAllows(interest, target.plan)
  target.replace(subscription, interest)
  return true
}

/** The window in the form that clients write. */
function windowText({ from, to, speed }: PlaybackWindow) {
  return { from: timeText(from * 1_000), to: timeText(to * 1_000), speed }
}

function readCommitment(params: Fields, servesEarly: boolean): Commitment {
  const value = params.read('commitment') ?? 'confirmed'
  const commitment = COMMITMENTS.find((known) => known === value)
  if (!commitment) {
    throw invalidParams(`commitment must be "confirmed" or "processed", not ${quoted(value)}.`)
  }
  if (commitment === 'processed' && !servesEarly) {
    throw new StreamFault('NOT_AVAILABLE', STREAM_SENTENCES.NOT_AVAILABLE())
  }
  return commitment
}

function readResumeFrom(params: Fields): string | undefined {
  const cursor = params.read('resume_from')
  if (cursor === undefined) return undefined
  if (typeof cursor === 'string' && parseCursor(cursor)) return cursor
  throw new StreamFault('INVALID_CURSOR', STREAM_SENTENCES.INVALID_CURSOR(quoted(cursor)))
}

/** Finds the subscription that a request names; `kind` if the method implies one. */
function findSubscription(target: ConnectionSubscriptions, params: Fields, kind?: StreamKind): Subscription {
  const id = params.read('subscription_id')
  if (typeof id !== 'number') {
    const meant = target.all.find((subscription) => subscription.kind === kind) ?? target.all[0]
    throw invalidParams(
      `Name the subscription by its number: "params":{"subscription_id":${meant?.id ?? 1}}.`,
    )
  }
  const found = target.all.find((subscription) => subscription.id === id)
  if (found) return found

  const open = target.all.map((subscription) => subscription.id)
  const hint = open.length > 0 ? `Open: ${open.join(', ')}.` : 'None is open.'
  throw new StreamFault('UNKNOWN_SUBSCRIPTION', STREAM_SENTENCES.UNKNOWN_SUBSCRIPTION(quoted(id), hint))
}

function mixedWithReplay(origin: Origin): StreamFault {
  return invalidParams(
    origin === 'playback'
      ? 'Beside a replay only a live latestBlockSubscribe may stand. Unsubscribe from the other live streams first, or leave replay out.'
      : 'This connection plays a replay. Beside it only a live latestBlockSubscribe may stand: unsubscribe from the replay first.',
  )
}

function alreadySubscribed({ id, kind, origin }: Subscription): StreamFault {
  const name = { confirmed: kind, processed: `"processed" ${kind}`, playback: `replayed ${kind}` }[origin]
  const hint = { swap: undefined, newPair: `${CHANGE_IT}.`, latestBlock: 'One is enough.' }[kind]
  return new StreamFault('ALREADY_SUBSCRIBED', STREAM_SENTENCES.ALREADY_SUBSCRIBED(name, id, hint))
}

function stillOpening(kind: StreamKind): StreamFault {
  return new StreamFault(
    'ALREADY_SUBSCRIBED',
    `A ${kind} subscription is being opened on this connection. Wait for its answer.`,
  )
}

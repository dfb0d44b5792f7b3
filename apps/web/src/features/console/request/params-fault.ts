import { isObject } from '@pairwire/basics/json'
import { NOTIFICATION_METHODS, type RequestMethod, type StreamKind } from '@pairwire/contract/methods'
import { indexFields } from '@pairwire/filter/fields'
import { readInterest } from '@pairwire/filter/interest'
import { assertIncludeKnown } from '@pairwire/filter/read-swap-filter'

/** Returns the service's refusal of the params, which it reads with the same code, or what it would ignore. */
export function readParamsFault(request: object, method: RequestMethod): string | undefined {
  const isUpdate = method === 'updateSubscriptionParams'
  const kinds = Object.keys(NOTIFICATION_METHODS) as StreamKind[]
  // Only an update's number tells its kind.
  const kind = isUpdate ? 'swap' : kinds.find((name) => method === `${name}Subscribe`)
  const outside = indexFields(request)
  const params = outside.read('params') ?? {}
  if (!kind || !isObject(params)) return kind && 'params must be an object.'
  const inside = indexFields(params)
  const changed = isUpdate ? (inside.read('params') ?? inside.read('update')) : params
  if (!isObject(changed)) return 'params must be an object.'
  try {
    const around = isUpdate ? [inside, outside] : [outside]
    readInterest(kind, { params: indexFields(changed), around, isUpdate })
    if (kind === 'swap') assertIncludeKnown(indexFields(changed))
  } catch (fault) {
    return (fault as Error).message // of a StreamFault
  }
}

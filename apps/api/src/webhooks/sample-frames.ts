import type { Bus } from '@pairwire/bus'
import { formatCursor, parseCursor, type Webhook } from '@pairwire/contract'
import { wantsEvent } from '@pairwire/filter'
import { frameOf } from './collected.ts'
import { readWebhookParams } from './read-params.ts'

/** Slots back in which a sample is looked for: some 20 s. */
const LOOKED_BACK = 50

/** The newest event that an endpoint would get, or else the newest of its kind; none if there was none lately. */
export async function sampleFrames(
  bus: Pick<Bus, 'replay' | 'holds' | 'newestCursor' | 'oldestCursor'>,
  { kind, params }: Pick<Webhook, 'kind' | 'params'>,
): Promise<readonly string[]> {
  const interest = readWebhookParams(kind, params)
  const place = parseCursor((await bus.newestCursor()) ?? '')
  if (!place) return []
  const from = { ...place, slot: Math.max(0, place.slot - LOOKED_BACK), transactionIndex: 0, eventIndex: 0 }
  let [wanted, any]: (string | undefined)[] = []
  const oldest = (await bus.oldestCursor()) ?? ''
  const after = (await bus.holds(formatCursor(from))) ? formatCursor(from) : oldest
  for await (const events of bus.replay(after)) {
    for (const event of events) {
      if (event.kind !== kind) continue
      any = frameOf(event, interest.facts)
      if (wantsEvent(interest, event)) wanted = any
    }
  }
  return [wanted ?? any ?? []].flat()
}

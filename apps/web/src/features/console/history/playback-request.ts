import { ALL_SWAPS } from '../request/examples.ts'
import { isFields } from '../rows/read-event.ts'
import { subscribedKind } from '../worker/resumed-request.ts'

/** What is played again: both ends RFC 3339, at a multiple of the true pace. */
type Playback = Readonly<{ from: string; to: string; speed: number }>

/** Params that are for the live stream alone. */
const LIVE_ONLY = ['commitment', 'timestamps', 'resume_from']

/** A subscribe with `replay` in its params, without what a playback refuses; all swaps where `text` subscribes to none. */
export function playbackRequest(text: string, replay: Playback): string {
  const request = JSON.parse(subscribedKind(text) ? text : ALL_SWAPS.text)
  const params = Object.entries(isFields(request.params) ? request.params : {})
  const kept = params.filter(([name]) => !LIVE_ONLY.includes(name))
  return JSON.stringify({ ...request, params: { ...Object.fromEntries(kept), replay } }, null, 2)
}

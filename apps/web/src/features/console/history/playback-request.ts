import { isObject } from '@pairwire/basics/json'
import { subscribedKind } from '../feed/resumed-request.ts'
import { ALL_SWAPS } from '../request/examples.ts'

/** The replayed range: both ends RFC 3339, at a multiple of the original pace. */
type Playback = Readonly<{ from: string; to: string; speed: number }>

/** Params for only the live stream. */
const LIVE_ONLY = ['commitment', 'timestamps', 'facts', 'resume_from']

/** A subscribe with `replay` in its params, without what a playback refuses; of all swaps if `text` is none. */
export function playbackRequest(text: string, replay: Playback): string {
  const request = JSON.parse(subscribedKind(text) ? text : ALL_SWAPS.text)
  const params = Object.entries(isObject(request.params) ? request.params : {})
  const kept = params.filter(([name]) => !LIVE_ONLY.includes(name))
  return JSON.stringify({ ...request, params: { ...Object.fromEntries(kept), replay } }, null, 2)
}

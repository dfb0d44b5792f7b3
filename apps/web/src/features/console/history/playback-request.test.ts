import { describe, expect, it } from 'vitest'
import { playbackRequest } from './playback-request.ts'

const replay = { from: '2026-11-01T00:00:00Z', to: '2026-11-01T01:00:00Z', speed: 2 }

describe('the request of a playback', () => {
  it('keeps the method and the filter that were typed', () => {
    const typed =
      '{"id":7,"method":"newPairSubscribe","params":{"include_pumpfun":true,"replay":{"from":"x"}}}'

    expect(JSON.parse(playbackRequest(typed, replay))).toEqual({
      id: 7,
      method: 'newPairSubscribe',
      params: { include_pumpfun: true, replay },
    })
  })

  it('omits what only the live stream accepts', () => {
    const typed =
      '{"method":"swapSubscribe","params":{"commitment":"processed","timestamps":true,"facts":true,"resume_from":"c"}}'

    expect(JSON.parse(playbackRequest(typed, replay)).params).toEqual({ replay })
  })

  it.each(['', 'no JSON', '{"method":"swapUnsubscribe"}'])('asks for all swaps in place of %j', (typed) => {
    expect(JSON.parse(playbackRequest(typed, replay))).toEqual({
      id: 1,
      method: 'swapSubscribe',
      params: { replay },
    })
  })
})

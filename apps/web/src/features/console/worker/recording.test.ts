import { describe, expect, it } from 'vitest'
import { createRecording } from './recording.ts'

describe('recording', () => {
  it('keeps every frame unchanged, one per line', async () => {
    const recording = createRecording()
    const frames = ['{"a":1}', '{"b":\n2}', 'ä']
    for (const frame of frames) recording.take(frame)

    expect(recording.size).toEqual({ frames: 3, bytes: 19 })
    expect(await recording.finish().text()).toBe('{"a":1}\n{"b": 2}\nä\n')
  })

  it('ends at its limit, with whole lines', async () => {
    const recording = createRecording(2_500_000)
    const frame = 'x'.repeat(999)
    let taken = 0
    while (recording.take(frame)) taken++

    expect([taken, recording.take('{}')]).toEqual([2_500, false])
    expect((await recording.finish().text()).length).toBe(2_500_000)
  })
})

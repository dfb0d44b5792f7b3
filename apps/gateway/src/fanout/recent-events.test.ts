import { describe, expect, it } from 'vitest'
import { RecentEvents } from './recent-events.ts'

const gap = (cursor: string) => ({
  kind: 'gap' as const,
  cursor,
  params: { fromSlot: 1, toSlot: 1, cause: 'upstream' as const, resume_from: null },
})
const cursors = (events: readonly { cursor: string }[] | undefined) => events?.map(({ cursor }) => cursor)

describe('recent events', () => {
  it('return what follows a cursor at or after their oldest', () => {
    const recent = new RecentEvents(2)
    for (const cursor of ['1', '3', '5', '7', '9']) recent.push(gap(cursor))

    expect(cursors(recent.after('7', false))).toEqual(['9'])
    expect(cursors(recent.after('8', false))).toEqual(['9'])
    expect(cursors(recent.after('9', false))).toEqual([])
    expect(recent.after('5', false)).toBeUndefined()
    expect(recent.after('5', true)).toBeUndefined()
  })

  it('return what follows an older cursor only if nothing is missing in between', () => {
    const recent = new RecentEvents(2)
    for (const cursor of ['3', '5']) recent.push(gap(cursor))

    expect(recent.after('2', false)).toBeUndefined()
    expect(cursors(recent.after('2', true))).toEqual(['3', '5'])
  })

  // An event that is published and not yet sent would come twice, from the replay and from the hub.
  it('return nothing for a cursor ahead of them', () => {
    const recent = new RecentEvents(2)
    recent.push(gap('3'))

    expect(recent.after('4', false)).toBeUndefined()
    expect(recent.after('4', true)).toBeUndefined()
  })
})

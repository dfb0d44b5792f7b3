import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PeriodBar, TrialBlocks } from './period-bar.tsx'

const start = new Date('2026-11-01T00:00:00Z')
const filled = (markup: string) => markup.split('period-gone').length - 1

describe('the bar of a plan', () => {
  it('fills the past days of a trial, none at its first minute', () => {
    const first = renderToStaticMarkup(<PeriodBar period={{ kind: 'trial', start, days: 5, left: 5 }} />)
    const bar = renderToStaticMarkup(<PeriodBar period={{ kind: 'trial', start, days: 5, left: 4 }} />)

    expect(bar).toContain('Day 2 of 5 in this trial')
    expect(filled(bar)).toBe(1)
    expect(filled(first)).toBe(0)
    expect(bar).toContain('4 days left')
  })

  it('fills the same share of a billing month', () => {
    const bar = renderToStaticMarkup(<PeriodBar period={{ kind: 'month', start, days: 30, left: 15 }} />)

    expect(bar).toContain('Day 16 of 30 in this period')
    expect(bar).toContain('width:50%')
  })

  it('fills nothing before a trial begins', () => {
    expect(filled(renderToStaticMarkup(<TrialBlocks days={5} gone={0} sentence="A trial" />))).toBe(0)
  })
})

import { describe, expect, it } from 'vitest'
import { errorEnvelope, readReportAddress } from './error-report.ts'

const about = {
  id: '0123456789abcdef0123456789abcdef',
  dsn: 'https://key@errors.example/42',
  origin: 'https://pairwire.example',
  path: '/dashboard/account',
  now: Date.parse('2026-11-20T12:00:00Z'),
}

describe('an error report', () => {
  it('goes to the address in the DSN', () => {
    expect(readReportAddress('https://key@errors.example/42')?.url).toBe(
      'https://errors.example/api/42/envelope/?sentry_version=7&sentry_key=key',
    )
    expect(readReportAddress('https://key@errors.example/sub/42')?.url).toContain('/sub/api/42/envelope/')
    expect(readReportAddress('https://errors.example/42')).toBeUndefined()
    expect(readReportAddress('javascript:alert(1)')).toBeUndefined()
  })

  it('is three lines of JSON: header, item header, event', () => {
    const [header, item, event] = errorEnvelope(new TypeError('x is not a function'), about)
      .split('\n')
      .map((line) => JSON.parse(line))

    expect(header).toEqual({ event_id: about.id, dsn: about.dsn, sent_at: '2026-11-20T12:00:00.000Z' })
    expect(item).toEqual({ type: 'event' })
    expect(event).toMatchObject({
      event_id: about.id,
      request: { url: 'https://pairwire.example/dashboard/account' },
      exception: { values: [{ type: 'TypeError', value: 'x is not a function' }] },
    })
  })

  it('reads the stacks of Chromium and of other browsers, oldest call first, without queries', () => {
    const error = new Error('no')
    error.stack = [
      'Error: no',
      '    at inner (https://pairwire.example/assets/a.js?t=secret:3:14)',
      'outer@https://pairwire.example/assets/b.js:1:2',
    ].join('\n')

    const event = JSON.parse(errorEnvelope(error, about).split('\n')[2]!)

    expect(event.exception.values[0].stacktrace.frames).toEqual([
      {
        function: 'outer',
        filename: 'https://pairwire.example/assets/b.js',
        lineno: 1,
        colno: 2,
        in_app: true,
      },
      {
        function: 'inner',
        filename: 'https://pairwire.example/assets/a.js',
        lineno: 3,
        colno: 14,
        in_app: true,
      },
    ])
    expect(JSON.stringify(event)).not.toContain('secret')
  })

  it('accepts whatever was thrown', () => {
    for (const thrown of [undefined, null, 'text', { odd: true }]) {
      expect(errorEnvelope(thrown, about).split('\n')).toHaveLength(3)
    }
  })
})

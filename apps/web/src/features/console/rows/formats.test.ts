import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duration, relativeTime } from '../../../locale/relative-time.ts'
import { cleanName } from '../feed/clean-name.ts'
import { shorten } from '../feed/shorten.ts'
import { figures } from '../figures.ts'
import { exchangeFace } from './exchange-face.ts'
import { formatPrice } from './format-price.ts'

describe('shortened strings', () => {
  it('are unchanged up to 14 characters', () => {
    expect(shorten('12345678901234')).toBe('12345678901234')
  })

  it('show the first and last five from 15 on', () => {
    expect(shorten('123456789012345')).toBe('12345…12345')
  })
})

describe('a price', () => {
  const shown = (price: string) => {
    const form = formatPrice(price)
    return form && form.head + (form.zeros ? `(${form.zeros})` : '') + form.tail
  }

  it('keeps four significant digits', () => {
    expect(shown('0.0019754321')).toBe('0.001975')
    expect(shown('0.03130499')).toBe('0.03130')
    expect(shown('1.23456')).toBe('1.235')
    expect(shown('187.2345')).toBe('187.2')
    expect(shown('123456.78')).toBe('123,457')
  })

  it('shows fewer if it has fewer', () => {
    expect(shown('0.5')).toBe('0.5')
    expect(shown('12')).toBe('12')
    expect(shown('1.0000')).toBe('1')
    expect(shown('100')).toBe('100')
    expect(shown('0')).toBe('0')
  })

  it('counts the zeros from four on', () => {
    expect(shown('0.0001099')).toBe('0.0001099')
    expect(shown('0.00003124')).toBe('0.0(4)3124')
    expect(shown('0.0000004213')).toBe('0.0(6)4213')
    expect(shown('4.21300e-7')).toBe('0.0(6)4213')
  })

  it('carries when it rounds up', () => {
    expect(shown('0.00009999999')).toBe('0.0001000')
    expect(shown('9.99999')).toBe('10.00')
    expect(shown('999.996')).toBe('1,000')
  })

  it('is omitted when it is no number', () => {
    expect([shown(''), shown('.'), shown('abc'), shown('1e'), shown('NaN')]).toEqual(Array(5).fill(undefined))
  })

  it('is never off by more than half of the fourth digit', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e9, noNaN: true }), (price) => {
        const form = formatPrice(String(price))!
        const back = Number(
          (form.zeros ? `0.${'0'.repeat(form.zeros)}${form.tail}` : form.head).replaceAll(',', ''),
        )

        expect(Math.abs(back - price) / price).toBeLessThanOrEqual(0.0005001)
      }),
    )
  })
})

describe('a relative time', () => {
  it('is now, then seconds, then minutes and seconds', () => {
    expect([0, 999, 1000, 59_999, 60_000, 125_000].map((age) => relativeTime(0, age))).toEqual([
      'now',
      'now',
      '1s ago',
      '59s ago',
      '1m 00s ago',
      '2m 05s ago',
    ])
  })

  it('uses hours from a hundred minutes on, and days from two days on', () => {
    expect(
      [5_999_000, 6_000_000, 18_720_000, 172_799_000, 172_800_000, 1_641_360_000].map((age) =>
        relativeTime(0, age),
      ),
    ).toEqual(['99m 59s ago', '1h 40m ago', '5h 12m ago', '47h 59m ago', '2d ago', '18d ago'])
  })

  it('is now for a time ahead of the clock', () => {
    expect(relativeTime(5_000, 0)).toBe('now')
  })

  it('has a form for lengths of time', () => {
    expect([0, 12_000, 252_000, 3_720_000].map(duration)).toEqual(['0s', '12s', '4m 12s', '1h 02m'])
  })
})

describe("a stranger's name", () => {
  it('loses control, bidirectional and zero-width characters', () => {
    expect(cleanName('\u202eevil\u0000\u200b\nname\u2066')).toBe('evil name')
  })

  it('is empty when all of it is blank, also in letters that fonts draw as nothing', () => {
    expect(['\u3164', ' \u2800\uffa0', '\u115f\u1160\u200b'].map(cleanName)).toEqual(['', '', ''])
    expect(cleanName('PUMP\u3164\u3164ME')).toBe('PUMP ME')
  })

  it('keeps its script and its emoji', () => {
    expect(cleanName('日本 مرحبا 🙂')).toBe('日本 مرحبا 🙂')
  })

  it('is at most 32 characters', () => {
    expect([...cleanName('x'.repeat(500))]).toHaveLength(32)
    expect(cleanName('x'.repeat(32))).toBe('x'.repeat(32))
  })

  it('keeps markup as plain text', () => {
    expect(cleanName('<script>1</script>')).toBe('<script>1</script>')
  })
})

describe('a change', () => {
  it('shows tiny values as less than a cent', () => {
    expect([0.0049, 0.005, 0].map(figures.usd)).toEqual(['<$0.01', '$0.01', '$0.00'])
  })

  it('keeps a tenth of a percent below 1,000 %, and has three digits at any size', () => {
    expect([0, -1, 0.1394, 9.9949].map(figures.change)).toEqual(['0.0%', '-100.0%', '+13.9%', '+999.5%'])
    expect([10, 166.857, 12_345].map(figures.change)).toEqual(['+1k%', '+16.7k%', '+1.23m%'])
  })
})

describe('the face of an exchange', () => {
  it('is Bonk for a launchpad pair whose mint ends in bonk', () => {
    expect(exchangeFace('raydium_launchlab', 'Abcbonk').name).toBe('Bonk')
    expect(exchangeFace('raydium_launchpad', 'Abcbonk').name).toBe('Bonk')
  })

  it('is its own otherwise', () => {
    expect(exchangeFace('raydium_launchlab', 'Abc').name).toBe('LaunchLab')
    expect(exchangeFace('raydium', 'Abcbonk').name).toBe('Raydium')
    expect(exchangeFace('pumpfun', 'Abcbonk').name).toBe('Pump.fun')
  })

  it('is made from the name of an unknown one', () => {
    expect(exchangeFace('lake_swap', '')).toMatchObject({ name: 'lake_swap', letters: 'LS' })
  })
})

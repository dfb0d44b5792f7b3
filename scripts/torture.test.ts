import { describe, expect, it } from 'vitest'
import { readWords } from './torture.mjs'

describe('npm run torture', () => {
  it.each([
    [''],
    ['--archive'],
    ['--deployment'],
    ['--restarts'],
    ['--sdk'],
    ['--store'],
    ['--streams'],
    ['--webhooks'],
  ])('takes a count and a seed after %j, as after every kind', (kind) => {
    const words = kind === '' ? ['50', '777'] : [kind, '50', '777']

    expect(readWords(words)).toEqual({ kind, count: 50, seed: 777, rest: [] })
    expect(readWords(words.slice(0, -1))).toMatchObject({ kind, count: 50, seed: expect.any(Number) })
    expect(readWords(words.slice(0, -2))).toMatchObject({ kind, count: expect.any(Number) })
  })

  it('passes on the part of the names of faults that a deployment takes', () => {
    expect(readWords(['--deployment', '3', '4', 'nats'])).toMatchObject({ rest: ['nats'] })
  })

  it('refuses other words', () => {
    expect(readWords(['--schedules', '50'])).toEqual({ fault: 'There is no torture --schedules.' })
    expect(readWords(['--store', 'many'])).toHaveProperty('fault')
    expect(readWords(['0'])).toHaveProperty('fault')
    expect(readWords(['5', '-1'])).toHaveProperty('fault')
  })
})

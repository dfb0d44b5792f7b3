import { describe, expect, it } from 'vitest'
import { readWords } from './read-words.ts'

const inputOf = (...words: string[]) => readWords(words)?.input

describe("the words of the operator's tool", () => {
  it('give the members of a verb in the order of its usage, and options by name', () => {
    expect(inputOf('account', 'plan', 'a@b.example', 'pro', '--connections', '5')).toEqual({
      who: 'a@b.example',
      plan: 'pro',
      connections: 5,
    })
    expect(inputOf('account', 'create', 'a@b.example', 'c@d.example', '--plan', 'basic')).toEqual({
      emails: ['a@b.example', 'c@d.example'],
      plan: 'basic',
    })
    expect(inputOf('order', 'show', '482913377')).toEqual({ id: 482913377 })
    expect(inputOf('status', 'clear')).toEqual({})
    expect(inputOf('mail', 'list', '--given-up')).toEqual({ givenUp: true })
  })

  it('are refused with an unknown verb or option, a word too few or too many, or another form', () => {
    for (const words of [
      'acount show a@b.example',
      'account show',
      'account show a@b.example c@d.example',
      'account show a@b.example --plan pro',
      'account create',
      'account plan a@b.example',
      'account plan a@b.example pro --connections many',
      'account plan a@b.example pro --connections 0',
      'order show seven',
      'order list --state sample',
      'order create a@b.example --offer year',
      'order create a@b.example --offer day --to 2026-11-23T13:30:00Z',
      'order list --csv',
    ]) {
      expect(readWords(words.split(' ')), words).toBeUndefined()
    }
  })

  it('need --yes for a grave verb, which is no part of its input', () => {
    expect(readWords(['order', 'refund', '482913377'])).toBeUndefined()
    expect(inputOf('order', 'refund', '482913377', '--yes')).toEqual({ id: 482913377 })
    expect(readWords(['order', 'show', '482913377', '--yes'])).toBeUndefined()
    expect(readWords(['connections', 'close', '--account', 'a@b.example'])).toBeUndefined()
    expect(inputOf('connections', 'close', '--account', 'a@b.example', '--yes')).toEqual({
      account: 'a@b.example',
    })
    expect(readWords(['connections', 'close', 'c1', '--yes'])).toBeUndefined()
  })

  it('ask a list for JSON, and for at most so many rows', () => {
    expect(readWords(['order', 'list', '--json', '--limit', '3'])).toMatchObject({
      format: 'json',
      input: { limit: 3 },
    })
    expect(readWords(['order', 'list', '--limit', '0'])).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { createCaptcha } from './captcha.ts'

const MINUTE_MS = 60_000

describe('the captcha', () => {
  it('solves nothing before it is asked to', () => {
    const { solved } = aCaptcha()

    expect(solved()).toBe(0)
  })

  it('is solved in advance and used at the submit', async () => {
    const { captcha, solved } = aCaptcha()
    captcha.warm()
    captcha.warm()

    expect(await captcha.take()).toBe('token 1')
    expect(solved()).toBe(1)
  })

  it('gives each submit a token of its own', async () => {
    const { captcha } = aCaptcha()

    expect([await captcha.take(), await captcha.take()]).toEqual(['token 1', 'token 2'])
  })

  it('is solved again when it is too old to be sent', async () => {
    const { captcha, pass } = aCaptcha()
    captcha.warm()
    pass(5 * MINUTE_MS)

    expect(await captcha.take()).toBe('token 2')
  })

  it('has no token when it cannot be solved, and tries again at the next submit', async () => {
    let broken = true
    const { captcha } = aCaptcha(async () => {
      if (broken) throw new Error('no network')
      return 'token'
    })

    expect(await captcha.take()).toBeUndefined()
    broken = false
    expect(await captcha.take()).toBe('token')
  })

  it('has no token when the wait is over, and keeps a later one for the next submit', async () => {
    let finish: (token: string) => void = () => {}
    const slow = new Promise<string>((resolve) => {
      finish = resolve
    })
    const waits = [Promise.resolve(undefined)]
    const { captcha, solved } = aCaptcha(() => slow, waits)

    expect(await captcha.take()).toBeUndefined()
    finish('late token')

    expect(await captcha.take()).toBe('late token')
    expect(solved()).toBe(1)
  })
})

function aCaptcha(
  solve?: () => Promise<string>,
  waits: Promise<undefined>[] = [],
): { captcha: ReturnType<typeof createCaptcha>; solved: () => number; pass: (ms: number) => void } {
  let now = 0
  let solved = 0
  const captcha = createCaptcha({
    solve: () => {
      solved += 1
      return solve ? solve() : Promise.resolve(`token ${solved}`)
    },
    now: () => now,
    after: () => waits.shift() ?? new Promise(() => {}),
  })
  return {
    captcha,
    solved: () => solved,
    pass: (ms) => {
      now += ms
    },
  }
}

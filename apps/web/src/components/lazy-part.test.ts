import { expect, it } from 'vitest'
import { lazyPart } from './lazy-part.tsx'

it('loads a part once for all that ask, and again after a failure', async () => {
  const answers = [Promise.reject(new Error('no network')), Promise.resolve({ default: () => null })]
  let loads = 0
  const part = lazyPart(() => answers[loads++]!)

  expect(await Promise.allSettled([part.preload(), part.preload()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  await Promise.all([part.preload(), part.preload()])
  await part.preload()

  expect(loads).toBe(2)
})

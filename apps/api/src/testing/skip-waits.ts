import type { createWebhooksUnderTest } from './webhooks-under-test.ts'

type Under = Pick<Awaited<ReturnType<typeof createWebhooksUnderTest>>, 'accounts' | 'wall'>

/** Moves the clock to the next try as soon as that is noted: hours of failing pass in a moment. */
export function skipWaits({ accounts, wall }: Under): void {
  const note = accounts.noteAnswer
  Object.assign(accounts, {
    async noteAnswer(answer: Parameters<typeof note>[0]) {
      const state = await note(answer)
      const { outcome } = answer
      if (outcome.is === 'again') wall.now = Math.max(wall.now, outcome.nextTryAt.getTime())
      return state
    },
  })
}

import { describe, expect, it } from 'vitest'
import { hasPostgres } from '../../packages/accounts/src/testing/postgres-server.ts'
import { inCi } from '../../packages/basics/src/testing/in-ci.ts'
import { whyNoNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { tortureDeployment } from './torture.ts'

const why = hasPostgres() ? whyNoNatsServer() : 'there is no PostgreSQL'
const SCHEDULES = inCi(6, 2)

describe('a deployment of many processes', () => {
  it.skipIf(why)(
    'gives every client the chain while its parts are restarted one by one, and the chain or what it lacks whatever is killed or cut',
    { timeout: 360_000, retry: 0 },
    async () => {
      const lines: string[] = []
      const { problems, ...outcome } = await tortureDeployment(SCHEDULES, 1, {
        report: (line) => lines.push(line),
        only: '',
      })

      expect(problems, lines.join('\n')).toEqual([])
      expect(outcome.schedules).toBe(SCHEDULES)
      expect(outcome.swaps).toBeGreaterThan(15 * SCHEDULES)
    },
  )
})

import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect'

/** The result of a test. */
export type Outcome = Readonly<{ name: string; error: string | null }>

type Work = () => unknown
type Group = { name: string; before: Work[]; after: Work[] }

/** Milliseconds that a test may take. */
const TEST_LIMIT_MS = 20_000

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin)

/** The part of Vitest that a suite uses, without Vitest: groups, hooks and tests, which {@link runTests} runs. */
export const expect = chai.expect

const groups: Group[] = []
const tests: { name: string; groups: Group[]; run: Work }[] = []

export function describe(name: string, define: Work): void {
  groups.push({ name, before: [], after: [] })
  define()
  groups.pop()
}

export function it(name: string, run: Work): void {
  tests.push({ name: [...groups.map((group) => group.name), name].join(' > '), groups: [...groups], run })
}

export function beforeEach(work: Work): void {
  groups.at(-1)!.before.push(work)
}

export function afterEach(work: Work): void {
  groups.at(-1)!.after.push(work)
}

/** Runs every test, one after the other. */
export async function runTests(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, groups, run } of tests) {
    let error: string | null = null
    try {
      for (const { before } of groups) for (const work of before) await work()
      await inTime(run())
    } catch (thrown) {
      error = thrown instanceof Error ? `${thrown.message} ${thrown.stack}` : String(thrown)
    }
    for (const { after } of groups) for (const work of after) await work()
    outcomes.push({ name, error })
  }
  return outcomes
}

function inTime(work: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout>
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${TEST_LIMIT_MS} ms.`)), TEST_LIMIT_MS)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

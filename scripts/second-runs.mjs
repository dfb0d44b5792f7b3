import { appendFileSync } from 'node:fs'

/** Vitest reporter: records in the file `SECOND_RUNS` each test that passed only on its second run, a JSON line each. */
export default class SecondRuns {
  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return
    const { errors = [] } = test.result()
    appendFileSync(process.env.SECOND_RUNS, `${JSON.stringify({ name: test.fullName, errors })}\n`)
  }
}

import { appendFileSync } from 'node:fs'

/** Vitest reporter: notes in the file `SECOND_RUNS` each test that failed and passed when it was run again, a JSON line each. */
export default class SecondRuns {
  onTestCaseResult(test) {
    if (!test.diagnostic()?.flaky) return
    const { errors = [] } = test.result()
    appendFileSync(process.env.SECOND_RUNS, `${JSON.stringify({ name: test.fullName, errors })}\n`)
  }
}

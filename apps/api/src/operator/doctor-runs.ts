import { versions } from './doctor/machine-checks.ts'
import type { NamesOf, Runs } from './run.ts'

/** Verbs of the machine that the service runs too. */
export const doctorRuns: Runs<NamesOf<'machine'>> = {
  async *'machine doctor'({ only, last }, { doctor }) {
    yield* doctor(last ? 'last' : only?.split(','))
  },
  async *'machine version'() {
    yield versions()
  },
}

import { addressChecks } from './address-checks.ts'
import type { Checks } from './check.ts'
import type { DoctorParts } from './doctor-parts.ts'
import { machineChecks } from './machine-checks.ts'
import { mailChecks } from './mail-checks.ts'
import { paddleChecks } from './paddle-checks.ts'
import { storeChecks } from './store-checks.ts'

/** The checks that a process with the HTTP side can run. */
export function doorChecks(parts: DoctorParts): Checks {
  return {
    ...machineChecks(parts),
    ...storeChecks(parts),
    ...mailChecks(parts),
    ...addressChecks(parts),
    ...paddleChecks(parts),
  }
}

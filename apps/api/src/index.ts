export { createSandboxBilling, SANDBOX, type SandboxBilling } from './adapters/billing-sandbox.ts'
export { createApi } from './app.ts'
export { askOthers } from './ask-others.ts'
export { backupMetrics } from './backup-clock.ts'
export type { DoorConfig } from './config.ts'
export { DOCS_ROOT, openBilling, openDoor } from './open-door.ts'
export {
  type Checks,
  createDoctor,
  type Finding,
  fail,
  ok,
  skipped,
  together,
  warn,
} from './operator/doctor/check.ts'
export { doorChecks } from './operator/doctor/door-checks.ts'
export { versions } from './operator/doctor/machine-checks.ts'
export { createMoneyNow } from './operator/money-now.ts'
export { answerTool } from './operator/run-verb.ts'
export type { ApiParts } from './parts.ts'
export { createWebhookCounts } from './webhook-counts.ts'

import type { Clock } from '@pairwire/basics'
import type { Finding } from './describe-observed.ts'

/** What is said of one endpoint. */
export type Report = Readonly<{ says: readonly string[]; findings: readonly Finding[] }>

/** How long an endpoint is watched, and by which clock. */
export type Watch = Readonly<{ clock: Clock; signal: AbortSignal; forMs: number }>

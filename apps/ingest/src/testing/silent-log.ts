import type { Log } from '../log.ts'

/** A log that nobody reads, for tests. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }

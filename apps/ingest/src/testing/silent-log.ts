import type { Log } from '@pairwire/basics'

/** A log that discards everything, for tests. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }

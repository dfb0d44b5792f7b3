import type { Log } from '@pairwire/process'

/** A log that nobody reads, for tests. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }

import type { Log } from '@pairwire/basics'

/** A log that nobody reads, for tests. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }

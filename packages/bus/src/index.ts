export * from './bus.ts'
export type { Retention } from './event-log.ts'
export { type EventStore, type EventStoreOptions, openEventStore } from './event-store.ts'
export * from './in-process.ts'

export * from './read-frame.ts'
export * from './stream.ts'

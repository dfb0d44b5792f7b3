export * from './stream.ts'

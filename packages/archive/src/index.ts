export * from './archive.ts'
export * from './storage.ts'

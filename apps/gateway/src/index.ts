export * from './clock.ts'
export * from './gateway.ts'
export * from './gateway-log.ts'
export * from './limits.ts'

export { createEngine, type Engine, EngineEndedError } from './engine/engine.ts'
export { HourSpool } from './spool/hour-spool.ts'
export { Spooler } from './spool/spooler.ts'

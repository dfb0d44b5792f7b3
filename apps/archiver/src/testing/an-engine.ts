import type { Clock } from '@pairwire/basics'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { createEngine } from '../engine/engine.ts'
import { forkScript } from '../engine/fork-script.ts'

const script = await bundleScript(new URL('../engine/engine-child.ts', import.meta.url))

/** Starts a child that is ready sooner than one that has to load TypeScript. */
export const forkBundle = () => forkScript(script)

/** An engine with such children. */
export const anEngine = (clock: Pick<Clock, 'after'>) => createEngine(clock, forkBundle)

import { systemClock, withTimeout } from '@pairwire/basics'

/** Milliseconds for the parts to answer whether they are up. */
export const HEALTH_TIMEOUT_MS = 2_000

/** The state of a process. */
export type HealthParts = Readonly<{
  /** Whether each part is up, by its name; may query the part, for 2 s at most. */
  health(): Readonly<Record<string, boolean>> | Promise<Readonly<Record<string, boolean>>>
  /** Whether it may take traffic: everything has started and nothing is stopping. */
  ready(): boolean
}>

/** The answer of `/healthz`: 200 while every part is up, else 503. */
export async function healthAnswer(parts: Pick<HealthParts, 'health'>, timeoutMs = HEALTH_TIMEOUT_MS) {
  const answers = await askParts(parts, timeoutMs)
  const up = answers !== undefined && Object.values(answers).every(Boolean)
  return { status: up ? 200 : 503, body: { status: up ? 'up' : 'down', parts: answers ?? {} } }
}

/** The answer of `/readyz`: 200 while it may take traffic, else 503. */
export function readyAnswer(ready: boolean) {
  return { status: ready ? 200 : 503, body: { ready } }
}

/** @returns undefined if the parts do not answer in time, which counts as down */
export async function askParts(
  parts: Pick<HealthParts, 'health'>,
  timeoutMs = HEALTH_TIMEOUT_MS,
): Promise<Readonly<Record<string, boolean>> | undefined> {
  try {
    return await withTimeout(Promise.resolve(parts.health()), systemClock, timeoutMs)
  } catch {
    return undefined
  }
}

/**
 * How often a random test runs or a process is killed: `full` in CI, and `few` elsewhere, so that `npm test` takes minutes. The
 * promise of the test is the same.
 */
export function inCi(full: number, few: number): number {
  return process.env.CI ? full : few
}

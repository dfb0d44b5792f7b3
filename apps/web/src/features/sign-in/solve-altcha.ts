import { solveChallengeWorkers } from 'altcha/lib'
import { api } from '../../api/api.ts'

/** Workers that share the search; more than the machine has cores would only wait. */
const MOST_WORKERS = 4

/** Milliseconds after which the search is given up. */
const SOLVE_MS = 60_000

type Challenge = Parameters<typeof solveChallengeWorkers>[0]['challenge']

/**
 * Asks for a challenge and solves it in workers.
 *
 * @returns base64 JSON of `{challenge, solution}`. @throws when there is no challenge or no solution.
 */
export async function solveAltcha(): Promise<string> {
  // The library's own format, made by its server part and passed through unchanged.
  const challenge = (await api.captcha()) as Challenge
  const solution = await solveChallengeWorkers({
    challenge,
    concurrency: Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 1),
    createWorker: () => new Worker(new URL('altcha/workers/pbkdf2', import.meta.url), { type: 'module' }),
    timeout: SOLVE_MS,
  })
  if (!solution) throw new Error('The captcha was not solved.')
  return btoa(JSON.stringify({ challenge, solution }))
}

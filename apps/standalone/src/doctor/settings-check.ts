import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type Checks, fail, together, warn } from '@pairwire/api'
import { VARIABLES } from '@pairwire/process'
import { ENV_FILE } from '../config.ts'

/** Names in `.env` that others read: Compose, Caddy, NATS, Node and the system. */
const OF_OTHERS =
  /^(COMPOSE_|DOCKER_|NODE_|LC_|(PUBLIC_HOST|STREAM_OPTIONS|POSTGRES_PASSWORD|NATS_\w+_PASSWORD|TZ|LANG)$)/

/**
 * Checks the environment as a whole.
 *
 * @param faults of the environment, a sentence each, which begins with the variable's name
 * @param envFile another `.env`, which need not exist
 */
export function settingsCheck(faults: readonly string[], envFile = ENV_FILE): Checks {
  return {
    settings() {
      const named = existsSync(envFile) ? Object.keys(parseEnv(readFileSync(envFile, 'utf8'))) : []
      const unknown = named.filter((name) => !Object.hasOwn(VARIABLES, name) && !OF_OTHERS.test(name))
      return together(
        [
          ...faults.map((fault) =>
            fail(
              fault,
              'Set what is named in .env or in the environment; .env.example says what each setting takes.',
            ),
          ),
          unknown.length > 0 &&
            warn(
              `.env sets what is no setting: ${unknown.join(', ')}.`,
              'Correct the spelling or remove the lines; .env.example has every name.',
            ),
        ],
        'Every setting is right.',
      )
    },
  }
}

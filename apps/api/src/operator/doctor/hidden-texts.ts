import { unescape as decode } from 'node:querystring'

/** Variables whose whole value is secret. */
const SECRET = /SECRET|TOKEN|API_KEY|ACCESS_KEY/

/** Variables with addresses whose path may be a key. */
const SECRET_PATH = /^(SOLANA|ALARM)_/

/** Characters below which a text is too common to be hidden. */
const LEAST_LENGTH = 4

/**
 * The texts of an environment that no output may contain: secrets, logins of addresses, and paths and queries that may be
 * keys. None of the values need be valid.
 */
export function readHiddenConfig(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = '']) => {
      if (SECRET.test(name)) return [value, ...value.split(/\s+/)]
      return value.split(/[\s,]+/).flatMap((one) => secretsOf(one, SECRET_PATH.test(name)))
    })
    .filter((text) => text.trim().length >= LEAST_LENGTH)
}

function secretsOf(text: string, isPathSecret: boolean): string[] {
  const [, login = '', rest = ''] = /^[a-z0-9+]+:\/\/(?:([^/@]*)@)?[^/?#]*(.*)$/i.exec(text) ?? []
  const parts = [login, ...login.split(':'), ...rest.split(/[?&#]/).slice(1)]
  const values = parts.flatMap((part) => [part, part.slice(part.indexOf('=') + 1)])
  const all = isPathSecret ? [...values, ...rest.split(/[/?#&]/)] : values
  return all.flatMap((part) => [part, decode(part)])
}

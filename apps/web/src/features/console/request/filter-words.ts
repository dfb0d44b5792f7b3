import { formatCount } from '../../../locale/locale.ts'
import { type Fields, fieldsOf } from '../feed/read-event.ts'
import type { CountedKind } from '../feed/resumed-request.ts'

/**
 * Describes a subscription's filter in a few words: `2 wallets or from 10,000 USD`, `All`.
 *
 * @param params JSON of its params; unknown ones are ignored.
 */
export function filterWords(kind: CountedKind, params: string): string {
  const asked = fieldsOf(JSON.parse(params))
  if (kind === 'newPair') {
    const hasLaunchpads = LAUNCHPADS.some((name) => asked[name] === true)
    return [hasLaunchpads ? 'With launchpads' : 'Pools only', ...listWords(asked, 'sourceExchange')].join(
      ', ',
    )
  }
  const either = fieldWords(asked.include).join(asked.match === 'all' ? ' and ' : ' or ')
  const without = fieldWords(asked.exclude).join(' and ')
  const parts = [either, without && `without ${without}`]
  for (const name of ['sourceExchange', 'swapType']) parts.push(...listWords(asked, name))
  return parts.filter(Boolean).join(', ') || 'All'
}

const LAUNCHPADS = ['include_launchpad_tokens', 'include_pumpfun', 'include_raydium_launchlab']
const NOUNS: Readonly<Record<string, string>> = {
  ammaccount: 'pool',
  walletaccount: 'wallet',
  basetokenmint: 'token',
}

/** Reads a set of fields; keys match in any case, as at the server. */
function fieldWords(fields: unknown): string[] {
  return Object.entries(fieldsOf(fields)).flatMap(([name, value]) => {
    const noun = NOUNS[name.toLowerCase()]
    if (noun && Array.isArray(value)) return [formatCount(value.length, noun)]
    const isUsd = name.toLowerCase() === 'usdvalue' && typeof value === 'number'
    return isUsd ? [`from ${value.toLocaleString('en-GB')} USD`] : []
  })
}

function listWords(asked: Fields, name: string): string[] {
  const list = asked[name]
  return Array.isArray(list) && list.length > 0 ? [list.join(' or ')] : []
}

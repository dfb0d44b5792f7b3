import { readAddress } from './open-live-source.ts'
import type { EndpointStatus, Source } from './source.ts'

/** What a setting names, apart: sources of whole blocks, which are read, and program logs, which are not beside them. */
type ApartSources = Readonly<{
  /** The setting without its logs, and its tokens without theirs. */
  whole: string
  tokens: readonly string[]
  /** Hosts of the logs that are not read. */
  logs: readonly string[]
}>

const LOGS = /^logs\+wss?:\/\//i

/**
 * Takes program logs out of a setting that also names sources of whole blocks. They have all that logs tell, with its
 * place in the chain, which logs do not know: what came by them could neither be put in order nor told from what a
 * whole block repeats.
 *
 * @throws Error with a sentence for people, which repeats no address, as it may hold somebody's token
 */
export function setLogsApart(setting: string, tokens: readonly string[]): ApartSources {
  const named = setting.trim().split(/\s+/)
  const isRead = named.map((each) => !LOGS.test(each))
  if (!isRead.includes(true)) return { whole: setting, tokens, logs: [] }
  return {
    whole: named.filter((_, at) => isRead[at]).join(' '),
    tokens: tokens.filter((_, at) => isRead[at] ?? true),
    logs: named.filter((_, at) => !isRead[at]).map((each) => readAddress(each.slice('logs+'.length)).host),
  }
}

/** The source, whose status also names the logs that are not read, and says so. */
export function withUnreadLogs(source: Source, logs: readonly string[]): Source {
  if (logs.length === 0 || !source.status) return source
  const { status } = source
  const unread = logs.map(
    (host): EndpointStatus => ({
      ...{ name: `logs ${host}`, state: 'resting', version: null, slot: null },
      trouble: 'It is not used: program logs add nothing to a source that delivers whole blocks.',
    }),
  )
  return {
    ...source,
    status: () => {
      const whole = status()
      return { ...whole, endpoints: [...whole.endpoints, ...unread] }
    },
  }
}

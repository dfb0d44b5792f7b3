import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '@pairwire/basics'
import { CHECK_NAMES, type CheckName, type CheckRow } from '@pairwire/contract/operator'

/** What a check found; see `CheckRow`. */
export type Finding = Omit<CheckRow, 'check'>

/** Looks at one thing and changes nothing. `signal` aborts once its time is over. */
export type Check = (signal: AbortSignal) => Finding | Promise<Finding>

/** The checks that a process can run. */
export type Checks = Readonly<{ [Name in CheckName]?: Check }>

/** Runs checks at once, all or those of these names, and answers in the order of the table; `last`: as they were found last. */
export type Doctor = (names?: readonly string[] | 'last') => AsyncIterable<CheckRow>

/** Milliseconds for a check; all run at once. */
const LIMIT_MS = 10_000

/** All is well. */
export const ok = (sentence: string): Finding => ({ state: 'ok', sentence, fix: null })

/** There is nothing to check. */
export const skipped = (sentence: string): Finding => ({ state: 'skipped', sentence, fix: null })

/** Something works, but not as it should. */
export const warn = (sentence: string, fix: string): Finding => ({ state: 'warn', sentence, fix })

/** Something does not work. */
export const fail = (sentence: string, fix: string): Finding => ({ state: 'fail', sentence, fix })

/** All findings as one, which is as bad as the worst of them; `sound` if there is none. */
export function together(found: readonly (Finding | false | undefined)[], sound: string): Finding {
  const faults = found.filter((one): one is Finding => Boolean(one))
  if (faults.length === 0) return ok(sound)
  return {
    state: faults.some(({ state }) => state === 'fail') ? 'fail' : 'warn',
    sentence: [...new Set(faults.map(({ sentence }) => sentence))].join(' '),
    fix: [...new Set(faults.map(({ fix }) => fix))].join(' '),
  }
}

/**
 * Creates the doctor of a process. A check that runs already is waited for instead of run twice.
 *
 * @param parts.whySkipped said of a check that this process does not have
 * @param parts.secrets texts that no answer may contain, whatever a server repeated
 */
export function createDoctor(
  checks: Checks,
  parts: Readonly<{ whySkipped: string; secrets: readonly string[]; limitMs?: number }>,
): Doctor {
  const running = new Map<CheckName, Promise<CheckRow>>()
  const last = new Map<CheckName, CheckRow>()
  const hidden = [...parts.secrets].sort((one, other) => other.length - one.length)
  const hide = (text: string) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)

  const run = async (check: CheckName): Promise<CheckRow> => {
    const look = checks[check] ?? (() => skipped(parts.whySkipped))
    const { state, sentence, fix } = await within(look, check, parts.limitMs ?? LIMIT_MS)
    const row = { check, state, sentence: hide(sentence), fix: fix && hide(fix) }
    last.set(check, { ...row, at: new Date().toISOString() })
    return row
  }

  return async function* (names = CHECK_NAMES) {
    if (names === 'last') return yield* CHECK_NAMES.flatMap((name) => last.get(name) ?? [])
    const rows = CHECK_NAMES.filter((name) => names.includes(name)).map((name) => {
      const row = running.get(name) ?? run(name).finally(() => running.delete(name))
      running.set(name, row)
      return row
    })
    for (const row of rows) yield await row
  }
}

/** What `check` finds in its time. */
async function within(check: Check, name: CheckName, limitMs: number): Promise<Finding> {
  const over = new AbortController()
  const late = wait(limitMs, undefined, { signal: over.signal }).then(() =>
    fail(
      `It did not come to an end within ${limitMs / 1_000} s.`,
      `Run doctor --only ${name} again when the machine is less busy. If it stays so, let this machine reach what it checks: a firewall may drop what it sends.`,
    ),
  )
  try {
    return await Promise.race([Promise.resolve().then(() => check(over.signal)), late])
  } catch (error) {
    return fail(
      `The check itself failed: ${messageOf(error)}`,
      `Run doctor --only ${name} again. If it stays so, report this line to Pairwire’s developers.`,
    )
  } finally {
    over.abort()
  }
}

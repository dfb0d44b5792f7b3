import { isAddress } from '@pairwire/contract/base58'
import type { Fields } from './fields.ts'
import { nearest } from './nearest.ts'
import { invalidParams, quoted, StreamFault } from './stream-fault.ts'
import { STREAM_SENTENCES } from './stream-sentences.ts'

/** Reads a boolean member; false when it is absent. @throws StreamFault when it is not a boolean */
export function readFlag(fields: Fields, name: string): boolean {
  const value = fields.read(name)
  if (value === undefined) return false
  if (typeof value !== 'boolean') {
    throw invalidParams(`${name} must be true or false, without quotes.`)
  }
  return value
}

/** Reads a list of addresses, as sent; empty when it is absent. `place` is its name in a fault. */
export function readAddresses(fields: Fields, name: string, place: string): readonly string[] {
  const list = readList(fields, name, place, 'addresses', 'address')
  const wrong = list.findIndex((entry) => typeof entry !== 'string' || !isAddress(entry))
  if (wrong >= 0) {
    const message = STREAM_SENTENCES.INVALID_ADDRESS(`${place}[${wrong}]`, quoted(list[wrong]))
    throw new StreamFault('INVALID_ADDRESS', message)
  }
  return list as readonly string[] // each entry is an address
}

/** Reads a list of known names; null when it is absent. */
export function readChoices(
  params: Fields,
  name: string,
  choices: readonly string[],
): ReadonlySet<string> | null {
  const list = readList(params, name, name, 'names', 'name')
  for (const [at, entry] of list.entries()) {
    if (choices.some((choice) => choice === entry)) continue
    // The dashboard's name for tokens of LaunchLab, which is on no frame.
    const meaning = entry === 'bonk' ? 'raydium_launchlab' : entry
    const meant = typeof meaning === 'string' ? nearest(meaning, choices) : undefined
    const hint = meant ? `Did you mean "${meant}"?` : `There are: ${choices.join(', ')}.`
    throw invalidParams(`${name}[${at}] is not known: ${quoted(entry)}. ${hint}`)
  }
  return list.length === 0 ? null : new Set(list as readonly string[]) // each entry is one of the choices
}

function readList(
  fields: Fields,
  name: string,
  place: string,
  entries: string,
  entry: string,
): readonly unknown[] {
  const value = fields.read(name)
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    throw new StreamFault('NOT_A_LIST', STREAM_SENTENCES.NOT_A_LIST(place, entries, name))
  }
  if (value.length === 0) {
    throw new StreamFault('EMPTY_LIST', STREAM_SENTENCES.EMPTY_LIST(place, entry, name))
  }
  return value
}

/** @throws StreamFault for a member that is none of these; `otherwise` is the hint if none is similar */
export function assertKnown(
  fields: Fields,
  place: string,
  known: readonly string[],
  otherwise: string,
): void {
  for (const name of fields.names()) {
    if (known.some((one) => one.toLowerCase() === name.toLowerCase())) continue
    const meant = nearest(name, known)
    const hint = meant ? `Did you mean ${meant}?` : otherwise
    throw new StreamFault(
      'UNKNOWN_FILTER_FIELD',
      STREAM_SENTENCES.UNKNOWN_FILTER_FIELD(place, quoted(name), hint),
    )
  }
}

import { createHash } from 'node:crypto'
import anchor, { type Idl } from '@coral-xyz/anchor'

// A CommonJS package: Node provides its exports as one object.
const { BN, BorshCoder, web3 } = anchor

/** Fields of an event or arguments of an instruction as in an IDL: `mint: pubkey, sol_amount: u64`. */
type Fields = string

/** The possible values of such a field. */
export type Value =
  | bigint
  | number
  | boolean
  | string
  | Uint8Array
  | readonly Value[]
  | { [field: string]: Value }

/**
 * Encodes by Anchor's own coder from a program's interface, for forms without a recorded transaction, so that no
 * mistake of our writers can agree with one of our readers.
 */
type AnchorCoder = Readonly<{
  /** An event with its discriminator. Missing fields are zeros. */
  event: (name: string, values: Readonly<Record<string, Value>>) => Uint8Array
  /** An instruction's data with its discriminator. Missing arguments are zeros. */
  instruction: (name: string, values?: Readonly<Record<string, Value>>) => Uint8Array
}>

/** The parts of an interface that a test needs. */
type Interface = Readonly<{
  events?: Readonly<Record<string, Fields>>
  instructions?: Readonly<Record<string, Fields>>
  /** Structures that fields refer to. */
  types?: Readonly<Record<string, Fields>>
}>

/** @see https://www.anchor-lang.com/docs/basics/idl on how discriminators are made. */
export function createAnchorCoder({ events = {}, instructions = {}, types = {} }: Interface): AnchorCoder {
  const structures = { ...types, ...events }
  const coder = new BorshCoder({
    address: web3.PublicKey.default.toBase58(),
    metadata: { name: 'program', version: '0.0.0', spec: '0.1.0' },
    events: Object.keys(events).map((name) => ({ name, discriminator: [...hashOf(`event:${name}`)] })),
    instructions: Object.entries(instructions).map(([name, fields]) => ({
      name,
      discriminator: [...hashOf(`global:${name}`)],
      accounts: [],
      args: fieldsOf(fields),
    })),
    types: Object.entries(structures).map(([name, fields]) => ({
      name,
      type: { kind: 'struct', fields: fieldsOf(fields) },
    })),
  } as Idl)

  return {
    event: (name, values) => {
      const body = coder.types.encode(name, complete(events[name]!, values))
      return Uint8Array.of(...hashOf(`event:${name}`), ...body)
    },
    instruction: (name, values = {}) =>
      Uint8Array.from(coder.instruction.encode(name, complete(instructions[name]!, values))),
  }
}

function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest().subarray(0, 8)
}

function split(fields: Fields): [name: string, type: string][] {
  return fields
    .split(',')
    .filter((field) => field.trim() !== '')
    .map((field) => field.split(':').map((part) => part.trim()) as [string, string])
}

function fieldsOf(fields: Fields): object[] {
  return split(fields).map(([name, type]) => ({ name, type: typeOf(type) }))
}

function typeOf(type: string): unknown {
  const vector = /^vec<(.+)>$/.exec(type)?.[1]
  if (vector !== undefined) return { vec: typeOf(vector) }
  return /^[A-Z]/.test(type) ? { defined: { name: type } } : type
}

function complete(fields: Fields, values: Readonly<Record<string, Value>>): Record<string, unknown> {
  const known = split(fields)
  for (const name of Object.keys(values)) {
    if (!known.some(([field]) => field === name)) throw new Error(`the interface has no field ${name}`)
  }
  return Object.fromEntries(known.map(([name, type]) => [name, toAnchor(values[name] ?? zeroOf(type))]))
}

function zeroOf(type: string): Value {
  if (type === 'pubkey') return new Uint8Array(32)
  if (type === 'bool') return false
  if (type === 'string') return ''
  if (type.startsWith('vec<')) return []
  if (/^[ui](8|16|32)$/.test(type)) return 0
  return type === 'bytes' ? new Uint8Array(0) : 0n
}

function toAnchor(value: Value): unknown {
  if (typeof value === 'bigint') return new BN(value.toString())
  if (value instanceof Uint8Array) {
    return value.length === 32 ? new web3.PublicKey(value) : Buffer.from(value)
  }
  if (Array.isArray(value)) return value.map(toAnchor)
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toAnchor(each)]))
  }
  return value
}

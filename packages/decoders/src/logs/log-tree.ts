import { indexOfAddress } from '../bytes/key-table.ts'
import type { Position, Transaction } from '../transaction.ts'

/** One invocation of a program in the logs. */
export type LoggedInvocation = Readonly<{
  /** Base58, as logged. */
  program: string
  /** 1 for a top-level instruction. */
  depth: number
  /** Index of the invocation that made it; -1 at the top. */
  parent: number
  /** Base64 payloads of its `Program data:` lines; several fields of one line are several entries. */
  data: readonly string[]
  /** The line number of each of them. */
  dataLines: readonly number[]
  /** Base64 payloads of its `ray_log` lines. */
  rayLogs: readonly string[]
}>

/**
 * Program logs as the stack of invocations that they describe, so that a line belongs to the program and to the
 * instruction that wrote it: the n-th invocation of a program is its n-th instruction in order of execution. Reading
 * stops at `Log truncated`, since the validator may still let short lines through after it and the stack can no longer
 * be trusted.
 */
export class LogTree {
  readonly invocations: readonly LoggedInvocation[]
  /** Whether the record has no inner instructions at all. */
  readonly onlyTopLevelRecorded: boolean
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
    this.onlyTopLevelRecorded = transaction.instructions.every(({ innerIndex }) => innerIndex === -1)
    this.invocations = transaction.logs === null ? [] : readInvocations(transaction.logs).invocations
  }

  /** Returns the invocation of the instruction at `at`; `undefined` when the logs are missing, cut or inconsistent. */
  of(at: Position, program: string): LoggedInvocation | undefined {
    const { instructions } = this.#transaction
    const { programIndex, innerIndex, stackHeight } = instructions[at]!
    // A record without inner instructions still logs them: then only top-level invocations can be identified.
    let ordinal = 0
    let recorded = 0
    for (let position = 0; position < instructions.length; position++) {
      if (instructions[position]!.programIndex !== programIndex) continue
      recorded++
      if (position < at) ordinal++
    }
    let found: LoggedInvocation | undefined
    for (const invocation of this.invocations) {
      if (invocation.program !== program || (this.onlyTopLevelRecorded && invocation.depth !== 1)) continue
      if (ordinal-- === 0) found = invocation
      // The record lacks a call: nothing tells which one.
      if (recorded-- === 0) return undefined
    }
    const depth = innerIndex === -1 ? 1 : stackHeight
    return depth === null || depth === found?.depth ? found : undefined
  }

  /** Whether the record lacks inner instructions: it has none, and its logs show some or are missing too. */
  get lackCalls(): boolean {
    const { logs } = this.#transaction
    return this.onlyTopLevelRecorded && (logs === null || this.invocations.some(({ depth }) => depth > 1))
  }

  /** Returns logged calls from one program to another, with the index of their top-level instruction. */
  unrecordedCalls(): { program: string; topIndex: number }[] {
    const calls: { program: string; topIndex: number }[] = []
    const seen = new Map<string, number>()
    let topIndex = -1
    for (const { program, depth, parent } of this.invocations) {
      if (depth === 1) {
        const ordinal = seen.get(program) ?? 0
        seen.set(program, ordinal + 1)
        topIndex = this.#topIndexOf(program, ordinal)
      } else if (topIndex >= 0 && this.invocations[parent]?.program !== program) {
        calls.push({ program, topIndex })
      }
    }
    return calls
  }

  /** Returns the index of the top-level instruction that is the program's n-th; -1 when the record has fewer. */
  #topIndexOf(program: string, ordinal: number): number {
    const { instructions, keys } = this.#transaction
    const index = indexOfAddress(keys, program)
    let left = ordinal
    for (const { programIndex, topIndex, innerIndex } of instructions) {
      if (innerIndex !== -1 || programIndex !== index) continue
      if (left-- === 0) return topIndex
    }
    return -1
  }
}

type OpenInvocation = { -readonly [Member in keyof LoggedInvocation]: LoggedInvocation[Member] }

/** Parsed logs. */
export type ReadLogs = Readonly<{
  /** In order of their beginning. */
  invocations: readonly LoggedInvocation[]
  /** Whether the validator truncated the logs, so that more may have happened. */
  isTruncated: boolean
  /** Indexes of the invocations that had not ended when the logs did. */
  open: readonly number[]
}>

/**
 * Nearly every line begins with `Program `; the position of a later colon identifies it before its text is compared,
 * since addresses have none.
 */
export function readInvocations(logs: readonly string[]): ReadLogs {
  const invocations: OpenInvocation[] = []
  const stack: number[] = []
  for (let number = 0; number < logs.length; number++) {
    const line = logs[number]!
    if (line.charCodeAt(LOG.length - 2) === COLON && line.startsWith(LOG)) {
      if (!line.startsWith(RAY_LOG)) continue
      const writer = last(invocations, stack)
      if (writer) writer.rayLogs = [...writer.rayLogs, line.slice(RAY_LOG.length)]
    } else if (line.charCodeAt(DATA.length - 2) === COLON && line.startsWith(DATA)) {
      const writer = last(invocations, stack)
      if (writer === undefined) continue
      const fields = line.slice(DATA.length).split(' ')
      writer.data = writer.data.concat(fields)
      writer.dataLines = writer.dataLines.concat(fields.map(() => number))
    } else if (line.startsWith(PROGRAM)) {
      const space = line.indexOf(' ', PROGRAM.length)
      if (space === -1) continue
      if (line.startsWith('invoke [', space + 1)) {
        const parent = stack.at(-1) ?? -1
        stack.push(invocations.length)
        const program = line.slice(PROGRAM.length, space)
        invocations.push({ program, depth: stack.length, parent, data: NONE, dataLines: NONE, rayLogs: NONE })
      } else if (line.startsWith('success', space + 1) || line.startsWith('failed', space + 1)) {
        stack.pop()
      }
    } else if (line === TRUNCATED) {
      return { invocations, isTruncated: true, open: stack }
    }
  }
  return { invocations, isTruncated: false, open: stack }
}

function last(invocations: readonly OpenInvocation[], stack: readonly number[]): OpenInvocation | undefined {
  const at = stack.at(-1)
  return at === undefined ? undefined : invocations[at]
}

/** For invocations that wrote nothing, which are most of them. */
const NONE: readonly never[] = []

const COLON = 58
const PROGRAM = 'Program '
const LOG = 'Program log: '
const RAY_LOG = 'Program log: ray_log: '
const DATA = 'Program data: '
const TRUNCATED = 'Log truncated'

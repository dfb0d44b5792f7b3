import { type DiscriminatorTable, holdsAt } from '../bytes/discriminator.ts'
import { isSameKey } from '../bytes/key-table.ts'
import { Refused } from '../refused.ts'
import type { Instruction, Position } from '../transaction.ts'
import { type CallTree, isEventCall } from './call-tree.ts'
import { readLamportPayment, readPayments, readVaultFlow, type VaultFlow } from './vault-flow.ts'

/** An instruction for its decoder: its data, its accounts by index, and its inner calls. */
export class Invocation {
  readonly tree: CallTree
  readonly at: Position
  readonly instruction: Instruction
  #end = -1

  constructor(tree: CallTree, at: Position) {
    this.tree = tree
    this.at = at
    this.instruction = tree.transaction.instructions[at]!
  }

  /** Base58 of the program, which may have several addresses. */
  get programId(): string {
    const role = this.tree.roleAt(this.at)
    return role?.kind === 'decoder' ? role.programId : this.tree.address(this.instruction.programIndex)
  }

  get data(): Uint8Array {
    return this.instruction.data
  }

  get accountCount(): number {
    return this.instruction.accounts.length
  }

  /** Position after the last call of this instruction. */
  get end(): Position {
    if (this.#end === -1) this.#end = this.tree.end(this.at)
    return this.#end
  }

  /** Returns the key index of the instruction's account number `place`. @throws Refused when it has fewer. */
  account(place: number): number {
    const index = this.instruction.accounts[place]
    if (index === undefined || this.tree.transaction.keys[index]?.length !== 32) {
      throw new Refused('missing_accounts')
    }
    return index
  }

  /** Returns the raw key of account number `place`. @throws Refused when there are fewer. */
  key(place: number): Uint8Array {
    return this.tree.transaction.keys[this.account(place)]!
  }

  /** Returns the base58 of account number `place`. @throws Refused when there are fewer. */
  address(place: number): string {
    return this.tree.address(this.account(place))
  }

  /** Returns account `place` if it signed the transaction, else the fee payer: routers swap through their own account. */
  wallet(place: number): string {
    const index = this.account(place)
    return this.tree.address(index < this.tree.transaction.signerCount ? index : 0)
  }

  /**
   * Returns the body of this instruction's event, without discriminators: from its call to itself, else from its logs,
   * never from both. `undefined` when the record has neither.
   */
  event(discriminator: Uint8Array): Uint8Array | undefined {
    return this.calledEvent(discriminator) ?? this.loggedEvent(discriminator)
  }

  /** Does the same. @throws Refused when the record has neither. */
  eventOrRefuse(discriminator: Uint8Array): Uint8Array {
    const body = this.event(discriminator)
    if (body === undefined) throw new Refused('missing_event')
    return body
  }

  /** Checks that an event is of this instruction. @throws Refused when it names another account than number `place`. */
  assertNames(place: number, key: Uint8Array): void {
    if (!isSameKey(key, this.key(place))) throw new Refused('missing_event')
  }

  /** Returns the event of the program's call to itself. */
  calledEvent(discriminator: Uint8Array): Uint8Array | undefined {
    const { instructions } = this.tree.transaction
    for (let at = this.at + 1; at < this.end; at++) {
      if (!this.#isOwnEvent(at)) continue
      const { data } = instructions[at]!
      if (holdsAt(data, discriminator, 8)) return data.subarray(16)
    }
    return undefined
  }

  /** Returns the event in this very instruction's logs. */
  loggedEvent(discriminator: Uint8Array): Uint8Array | undefined {
    for (const text of this.tree.logs.of(this.at, this.programId)?.data ?? []) {
      const bytes = Buffer.from(text, 'base64')
      if (holdsAt(bytes, discriminator, 0)) return bytes.subarray(8)
    }
    return undefined
  }

  /**
   * Returns every event of this instruction in `table`, in order: of its calls to itself, or, without any, of its logs.
   * For an instruction on several pools.
   */
  events<Kind>(table: DiscriminatorTable<Kind>): readonly InstructionEvent<Kind>[] {
    const { instructions } = this.tree.transaction
    const events: InstructionEvent<Kind>[] = []
    for (let at = this.at + 1; at < this.end; at++) {
      if (!this.#isOwnEvent(at)) continue
      const { data } = instructions[at]!
      const kind = table.get(data, 8)
      if (kind !== undefined) events.push({ kind, body: data.subarray(16), at })
    }
    if (events.length > 0) return events
    for (const text of this.tree.logs.of(this.at, this.programId)?.data ?? []) {
      const bytes = Buffer.from(text, 'base64')
      const kind = table.get(bytes)
      if (kind !== undefined) events.push({ kind, body: bytes.subarray(8), at: this.at })
    }
    return events
  }

  /** Whether the call at `at` is an event of this very instruction, and not of a further call to its program. */
  #isOwnEvent(at: Position): boolean {
    const call = this.tree.transaction.instructions[at]!
    const { programIndex, stackHeight } = this.instruction
    if (call.programIndex !== programIndex || !isEventCall(call)) return false
    return stackHeight === null || call.stackHeight === null || call.stackHeight === stackHeight + 1
  }

  /**
   * Returns the raw units that the token account with this key index took in (positive) or gave out (negative) during
   * this instruction, or up to the position `end`, as its balance counts them; null when the record does not tell.
   */
  vaultFlow(accountIndex: number, end = this.end): bigint | null {
    return this.vaultFlowAndFee(accountIndex, end).flow
  }

  /** Returns each payment of raw units from one token account straight to another in this instruction, by key indexes. */
  payments(source: number, destination: number): readonly bigint[] {
    return readPayments(this.tree, this.at + 1, this.end, source, destination)
  }

  /** Returns their sum. */
  payment(source: number, destination: number): bigint {
    return this.payments(source, destination).reduce((sum, payment) => sum + payment, 0n)
  }

  /** Returns the flow, whether the mint withheld a fee of what was sent to the account, and whether anything moved. */
  vaultFlowAndFee(accountIndex: number, end = this.end): VaultFlow {
    return readVaultFlow(this.tree, this.at + 1, end, accountIndex)
  }

  /** Returns the lamports sent from one account straight to another during this instruction, by key indexes. */
  lamportPayment(source: number, destination: number): bigint {
    return readLamportPayment(this.tree, this.at + 1, this.end, source, destination)
  }
}

/** One of the events of an instruction. */
type InstructionEvent<Kind> = Readonly<{
  kind: Kind
  /** The bytes after the discriminator. */
  body: Uint8Array
  /** Its position: the program's call to itself, or the instruction if only logs have it. */
  at: Position
}>

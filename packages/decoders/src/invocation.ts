import { type CallTree, isEventCall, type Position } from './call-tree.ts'
import { holdsAt } from './discriminator.ts'
import { Refused } from './refused.ts'
import type { Instruction } from './transaction.ts'
import { readVaultFlow } from './vault-flow.ts'

/** An instruction as its decoder sees it: its bytes, its accounts by their place, and what it called. */
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

  get data(): Uint8Array {
    return this.instruction.data
  }

  get accountCount(): number {
    return this.instruction.accounts.length
  }

  /** Position after the last call that this instruction made. */
  get end(): Position {
    if (this.#end === -1) this.#end = this.tree.end(this.at)
    return this.#end
  }

  /** Key index of the instruction's account number `place`. @throws Refused when it has fewer. */
  account(place: number): number {
    const index = this.instruction.accounts[place]
    if (index === undefined || this.tree.transaction.keys[index]?.length !== 32) {
      throw new Refused('missing_accounts')
    }
    return index
  }

  /** Raw key of account number `place`. @throws Refused when there are fewer. */
  key(place: number): Uint8Array {
    return this.tree.transaction.keys[this.account(place)]!
  }

  /** Base58 of account number `place`. @throws Refused when there are fewer. */
  address(place: number): string {
    return this.tree.address(this.account(place))
  }

  /** The account at `place` if it signed the transaction, else the fee payer: routers swap through an account of their own. */
  wallet(place: number): string {
    const index = this.account(place)
    return this.tree.address(index < this.tree.transaction.signerCount ? index : 0)
  }

  /**
   * Body of this instruction's event, without discriminators: of its call to itself, else of its logs, never of
   * both. `undefined` when the record has neither.
   */
  event(discriminator: Uint8Array, program: string): Uint8Array | undefined {
    return this.calledEvent(discriminator) ?? this.loggedEvent(discriminator, program)
  }

  /** The event as the program's call to itself. */
  calledEvent(discriminator: Uint8Array): Uint8Array | undefined {
    const { instructions } = this.tree.transaction
    const { programIndex } = this.instruction
    for (let at = this.at + 1; at < this.end; at++) {
      const call = instructions[at]!
      if (call.programIndex !== programIndex || !isEventCall(call)) continue
      if (holdsAt(call.data, discriminator, 8)) return call.data.subarray(16)
    }
    return undefined
  }

  /** The event as a line of this very instruction's logs. */
  loggedEvent(discriminator: Uint8Array, program: string): Uint8Array | undefined {
    for (const text of this.tree.logs.of(this.at, program)?.data ?? []) {
      const bytes = Buffer.from(text, 'base64')
      if (holdsAt(bytes, discriminator, 0)) return bytes.subarray(8)
    }
    return undefined
  }

  /**
   * Raw units that the token account with this key index took in (above zero) or gave out (below) during this
   * instruction, as its balance counts them; null when the record does not tell.
   */
  vaultFlow(accountIndex: number): bigint | null {
    return readVaultFlow(this.tree, this.at + 1, this.end, accountIndex)
  }
}

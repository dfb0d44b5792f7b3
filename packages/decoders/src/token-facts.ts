import { addressOf, type CallTree } from './call-tree.ts'
import { knownDecimals } from './mint-rule.ts'
import {
  readAuthoritySet,
  readMetaplexMetadata,
  readMintInitialized,
  readToken2022Metadata,
  readTokenCalls,
  readTokenMove,
  TOKEN_TAGS,
  type TokenCall,
  type TokenMetadata,
} from './spl-token/layout.ts'
import type { Position } from './transaction.ts'

/** What a transaction tells of a mint; null where it does not. */
export type TokenFacts = Readonly<{
  decimals: number | null
  /** Known only of a mint that the transaction itself made; authorities then too. */
  supply: bigint | null
  metadata: TokenMetadata | null
  mintAuthority: string | null
  freezeAuthority: string | null
}>

/** Reads what the whole transaction tells of `mint`, as it stands after it. */
export function readTokenFacts(tree: CallTree, mint: string): TokenFacts {
  const decimals = readDecimals(tree, mint)
  // A well-known mint was made long ago: there is nothing to look for.
  if (knownDecimals(mint) !== undefined) {
    return { decimals, supply: null, metadata: null, mintAuthority: null, freezeAuthority: null }
  }
  const state = new MintState(tree.indexOf(mint))
  const count = tree.transaction.instructions.length
  if (state.mint >= 0) for (let at = 0; at < count; at++) state.apply(tree, at)

  const isMadeHere = state.decimals !== null && !state.isUnsure
  return {
    decimals: decimals ?? state.decimals,
    supply: isMadeHere ? state.supply : null,
    metadata: state.metadata,
    mintAuthority: isMadeHere && state.mintAuthority !== null ? addressOf(state.mintAuthority) : null,
    freezeAuthority: isMadeHere && state.freezeAuthority !== null ? addressOf(state.freezeAuthority) : null,
  }
}

/** Decimals of `mint`: well known, of a balance in it, or null. */
export function readDecimals(tree: CallTree, mint: string): number | null {
  const known = knownDecimals(mint)
  if (known !== undefined) return known
  for (const balance of tree.transaction.postTokenBalances) if (balance.mint === mint) return balance.decimals
  for (const balance of tree.transaction.preTokenBalances) if (balance.mint === mint) return balance.decimals
  return null
}

/** A mint's state, moved on by each instruction that touches it. */
class MintState {
  readonly mint: number
  decimals: number | null = null
  supply = 0n
  mintAuthority: Uint8Array | null = null
  freezeAuthority: Uint8Array | null = null
  metadata: TokenMetadata | null = null
  /** An instruction whose bytes the record has lost may have changed anything. */
  isUnsure = false

  constructor(mint: number) {
    this.mint = mint
  }

  apply(tree: CallTree, at: Position): void {
    const role = tree.roleAt(at)
    if (role === null || role.kind === 'decoder') return
    const instruction = tree.transaction.instructions[at]!
    const { accounts, data } = instruction
    if (!accounts.includes(this.mint)) return
    if (role.kind === 'metadata') {
      const created = readMetaplexMetadata(data)
      if (created !== undefined && accounts[created.mint] === this.mint) this.metadata ??= created.metadata
    } else {
      for (const call of readTokenCalls(instruction)) this.#applyToken(call, role.is2022)
    }
  }

  #applyToken({ accounts, data }: TokenCall, is2022: boolean): void {
    switch (data[0]) {
      case undefined:
        this.isUnsure = true
        break
      case TOKEN_TAGS.initializeMint:
      case TOKEN_TAGS.initializeMint2:
        if (accounts[0] === this.mint) {
          const { decimals, mintAuthority, freezeAuthority } = readMintInitialized(data)
          Object.assign(this, { decimals, mintAuthority, freezeAuthority })
        }
        break
      case TOKEN_TAGS.setAuthority:
        if (accounts[0] === this.mint) {
          const set = readAuthoritySet(data)
          if (set?.of === 'mint') this.mintAuthority = set.authority
          if (set?.of === 'freeze') this.freezeAuthority = set.authority
        }
        break
      case TOKEN_TAGS.mintTo:
      case TOKEN_TAGS.mintToChecked:
        if (accounts[0] === this.mint) this.supply += readTokenMove(data)?.amount ?? 0n
        break
      case TOKEN_TAGS.burn:
      case TOKEN_TAGS.burnChecked:
        if (accounts[1] === this.mint) this.supply -= readTokenMove(data)?.amount ?? 0n
        break
      default:
        if (is2022 && accounts[2] === this.mint) this.metadata ??= readToken2022Metadata(data) ?? null
    }
  }
}

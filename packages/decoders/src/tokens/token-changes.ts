import { TruncatedError } from '../bytes/byte-reader.ts'
import type { Role } from '../role.ts'
import type { Instruction } from '../transaction.ts'
import {
  METAPLEX_METADATA_TAGS,
  readAuthoritySet,
  readMetaplexMetadata,
  readMintInitialized,
  readPermissionedBurn,
  readToken2022Metadata,
  readTokenCalls,
  readTokenMove,
  TOKEN_TAGS,
  type TokenCall,
  type TokenMetadata,
} from './layout.ts'

/** What a transaction did to a token, as of its end. Keys are 32 bytes. */
export type TokenChange = Readonly<{
  /** The mint, or Metaplex's account if a change of its metadata names no mint. */
  account: Uint8Array
  /** Set for a mint created in the transaction: earlier knowledge of the address is void. Null for an older one. */
  decimals: number | null
  /** Raw units minted minus those burned. */
  supply: bigint
  /** Null once given up; undefined if unchanged. */
  mintAuthority: Uint8Array | null | undefined
  freezeAuthority: Uint8Array | null | undefined
  /** The fields that were set. */
  metadata: Readonly<Partial<TokenMetadata>>
  /** The account of the metadata at Metaplex; null if the transaction does not tell. */
  metadataAccount: Uint8Array | null
  /** Whether the record lost bytes that may have changed it further. */
  isUnsure: boolean
}>

/** Collects the tokens that a transaction created or changed, instruction by instruction in order of execution. */
export class TokenChanges {
  readonly #keys: readonly Uint8Array[]
  readonly #changes: OpenChange[] = []

  /** `keys`: those of the transaction. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys
  }

  /** Each token once, in order of its first change. */
  get all(): readonly TokenChange[] {
    return this.#changes
  }

  /** Returns the change of the mint or metadata account with this key index. */
  of(index: number): TokenChange | undefined {
    const key = this.#keys[index]
    return this.#changes.find(({ account }) => account === key)
  }

  /** Applies an instruction of a token program or of Metaplex's. */
  apply(instruction: Instruction, role: TokenRole): void {
    const tags = role.kind === 'token' ? SPL_TAGS : METAPLEX_TAGS
    if (tags[instruction.data[0] ?? 256] !== 0) this.#take(instruction, role)
  }

  #take(instruction: Instruction, role: TokenRole): void {
    try {
      if (role.kind === 'metadata') this.#applyMetaplex(instruction)
      else for (const call of readTokenCalls(instruction)) this.#applyToken(call, role.is2022)
    } catch (error) {
      if (!(error instanceof TruncatedError)) throw error
      // Metaplex changes a mint by calls of its own.
      if (role.kind === 'token') this.#doubt(instruction.accounts)
    }
  }

  #applyMetaplex({ accounts, data }: Instruction): void {
    const found = readMetaplexMetadata(data)
    if (found === undefined) return
    const change = this.#at(accounts, found.mint ?? found.metadataAccount)
    if (change === undefined) return
    change.metadata = found.metadata
    if (found.mint !== null) change.metadataAccount = this.#keyAt(accounts, found.metadataAccount) ?? null
  }

  #applyToken({ accounts, data }: TokenCall, is2022: boolean): void {
    switch (data[0]) {
      case undefined:
        this.#doubt(accounts)
        break
      case TOKEN_TAGS.initializeMint:
      case TOKEN_TAGS.initializeMint2: {
        const change = this.#at(accounts, 0)
        if (change === undefined) break
        const { decimals, mintAuthority, freezeAuthority } = readMintInitialized(data)
        change.decimals = decimals
        change.mintAuthority = mintAuthority
        change.freezeAuthority = freezeAuthority
        change.supply = 0n
        // Its metadata stays: Metaplex's `Create` comes before its calls that create the mint.
        break
      }
      case TOKEN_TAGS.setAuthority: {
        const set = readAuthoritySet(data)
        const change = set && this.#at(accounts, 0)
        if (change === undefined) break
        if (set?.of === 'mint') change.mintAuthority = set.authority
        else change.freezeAuthority = set?.authority
        break
      }
      case TOKEN_TAGS.mintTo:
      case TOKEN_TAGS.mintToChecked:
        this.#move(accounts, 0, readTokenMove(data)?.amount ?? 0n)
        break
      case TOKEN_TAGS.burn:
      case TOKEN_TAGS.burnChecked:
        this.#move(accounts, 1, -(readTokenMove(data)?.amount ?? 0n))
        break
      default:
        if (is2022) this.#applyExtension(accounts, data)
    }
  }

  #applyExtension(accounts: Uint8Array, data: Uint8Array): void {
    const burned = readPermissionedBurn(data)
    if (burned !== undefined) this.#move(accounts, 1, -burned)
    // The metadata is in the mint itself.
    const metadata = readToken2022Metadata(data)
    const change = metadata && this.#at(accounts, 0)
    if (change !== undefined) change.metadata = { ...change.metadata, ...metadata }
  }

  #move(accounts: Uint8Array, place: number, amount: bigint): void {
    const change = this.#at(accounts, place)
    if (change !== undefined) change.supply += amount
  }

  /** An instruction whose bytes are lost may have done anything to its accounts. */
  #doubt(accounts: Uint8Array): void {
    for (let place = 0; place < accounts.length; place++) {
      const change = this.#at(accounts, place)
      if (change !== undefined) change.isUnsure = true
    }
  }

  /** Returns the key of account number `place`; undefined if the record has none. */
  #keyAt(accounts: Uint8Array, place: number): Uint8Array | undefined {
    const key = this.#keys[accounts[place] ?? -1]
    return key?.length === 32 ? key : undefined
  }

  /** Returns the change of account number `place`, creating a missing one. */
  #at(accounts: Uint8Array, place: number): OpenChange | undefined {
    const account = this.#keyAt(accounts, place)
    if (account === undefined) return undefined
    for (const known of this.#changes) if (known.account === account) return known
    const change: OpenChange = {
      account,
      decimals: null,
      supply: 0n,
      mintAuthority: undefined,
      freezeAuthority: undefined,
      metadata: {},
      metadataAccount: null,
      isUnsure: false,
    }
    this.#changes.push(change)
    return change
  }
}

type OpenChange = { -readonly [Member in keyof TokenChange]: TokenChange[Member] }

type TokenRole = Exclude<Role, { kind: 'decoder' }>

/**
 * Whether an instruction with this first byte may change a token, by the byte: nearly all are transfers, which are
 * excluded before anything else is read. Index 256 is an instruction without bytes.
 */
const SPL_TAGS = tagTable([
  TOKEN_TAGS.initializeMint,
  TOKEN_TAGS.initializeMint2,
  TOKEN_TAGS.setAuthority,
  TOKEN_TAGS.mintTo,
  TOKEN_TAGS.mintToChecked,
  TOKEN_TAGS.burn,
  TOKEN_TAGS.burnChecked,
  TOKEN_TAGS.batch,
  TOKEN_TAGS.permissionedBurnExtension,
  TOKEN_TAGS.initializeMetadata,
  TOKEN_TAGS.updateMetadataField,
  256,
])
const METAPLEX_TAGS = tagTable(METAPLEX_METADATA_TAGS)

function tagTable(tags: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: 257 }, (_, tag) => (tags.includes(tag) ? 1 : 0))
}

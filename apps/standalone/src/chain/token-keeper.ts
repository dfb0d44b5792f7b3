import type { Log } from '@pairwire/basics'
import {
  type Chain,
  type ChainTransaction,
  toChainTransaction,
  writeMetaplexAccount,
  writeMintState,
} from '@pairwire/chain-double'
import { decodeBase58, encodeBase58 } from '@pairwire/contract'
import {
  decodeTransaction,
  METADATA_PROGRAM,
  metaplexAccountOf,
  TOKEN_2022_PROGRAM,
  type Transaction,
} from '@pairwire/decoders'
import { createTokenMemory } from '@pairwire/ingest'

/** Accounts that are kept; those of the least recently used tokens are dropped. */
const MAX_ACCOUNTS = 40_000

/** Keeps the accounts of tokens that transactions create and change, for clients that query them. */
export type TokenKeeper = ReturnType<typeof createTokenKeeper>

/** Creates it; the accounts go into the chain. */
export function createTokenKeeper(chain: Pick<Chain, 'accounts'>) {
  const { accounts } = chain
  const tokens = createTokenMemory(NO_LOG)

  const set = (address: string, owner: string, data: Uint8Array) => {
    accounts.delete(address)
    accounts.set(address, { owner, data })
    if (accounts.size > MAX_ACCOUNTS) accounts.delete(accounts.keys().next().value!)
  }

  const keep = (mint: Uint8Array, program: string) => {
    const address = encodeBase58(mint)
    const token = tokens.find(address)
    if (!token) return
    const { decimals, supply, name, symbol, uri } = token
    const named = name !== null && symbol !== null ? { name, symbol, uri: uri ?? '' } : undefined
    const isOwn = program === TOKEN_2022_PROGRAM && named !== undefined
    const fields = {
      ...{ mint, decimals, supply },
      mintAuthority: keyOf(token.mintAuthority),
      freezeAuthority: keyOf(token.freezeAuthority),
      ...(isOwn ? { pointer: mint, metadata: named } : {}),
    }
    set(address, program, writeMintState(fields))
    if (!named || isOwn) return
    set(encodeBase58(metaplexAccountOf(mint)), METADATA_PROGRAM, writeMetaplexAccount(mint, named))
  }

  return {
    /** What the transactions said about a token. */
    find: (mint: string) => tokens.find(mint),
    /** Takes a transaction of the simulator, and returns it in the chain's form. */
    take(transaction: Transaction, slot: number, transactionIndex: number): ChainTransaction {
      const written = toChainTransaction(transaction)
      const { tokens: changes = [] } = decodeTransaction(transaction)
      tokens.apply(changes, { run: 0, slot, transactionIndex })
      const balances = written.meta.postTokenBalances ?? []
      for (const { account } of changes) {
        const address = encodeBase58(account)
        const program = balances.find(({ mint }) => mint === address)?.programId
        if (program) keep(account, program)
      }
      return written
    },
  }
}

const NO_LOG: Log = { info() {}, warn() {}, error() {} }

function keyOf(address: string | null): Uint8Array | null {
  return address === null ? null : (decodeBase58(address) ?? null)
}

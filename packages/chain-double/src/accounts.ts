import { decodeBase58 } from '@pairwire/contract'
import type { Block, Chain, ChainAccount } from './chain.ts'
import { accountsOf, type ChainTransaction } from './chain-transaction.ts'

/**
 * Programs whose logs name a pool but not its mints: the indexes of pool and mints among a trade's accounts, and the
 * first bytes of the pool's account.
 */
const POOLS = [
  {
    program: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
    places: { pool: 0, mints: [3, 4] },
    account: { discriminator: 'f19a6d0411b16dbc', mintsAt: 43, isSorted: false },
  },
  {
    program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK',
    places: { pool: 2, mints: [11, 12] },
    account: { discriminator: 'f7ede3f5d7c3de46', mintsAt: 73, isSorted: true },
  },
] as const

/**
 * Returns the account at an address: the one set there, or else, as far as the chain's transactions tell, a mint, or a
 * pool of a program of {@link POOLS} with its mints. All other bytes are zero.
 */
export function accountAt(chain: Chain, address: string): ChainAccount | undefined {
  const set = chain.accounts.get(address)
  if (set) return set
  for (const block of chain.blocks.toReversed()) {
    if (!namedIn(block).has(address)) continue
    for (const transaction of block.transactions) {
      const account = mintIn(transaction, address) ?? poolIn(transaction, address)
      if (account) return account
    }
  }
  return undefined
}

const named = new WeakMap<Block, ReadonlySet<string>>()

/** Returns every address in a block, so that a missing one does not cost a scan of each transaction. */
function namedIn(block: Block): ReadonlySet<string> {
  const known = named.get(block)
  if (known) return known
  const addresses = new Set(
    block.transactions.flatMap((transaction) => [
      ...accountsOf(transaction),
      ...balancesOf(transaction).map(({ mint }) => mint),
    ]),
  )
  named.set(block, addresses)
  return addresses
}

function balancesOf({ meta }: ChainTransaction) {
  return [...(meta.postTokenBalances ?? []), ...(meta.preTokenBalances ?? [])]
}

function mintIn(transaction: ChainTransaction, address: string): ChainAccount | undefined {
  const balance = balancesOf(transaction).find(({ mint }) => mint === address)
  if (!balance) return undefined
  const data = new Uint8Array(82)
  data[44] = balance.uiTokenAmount.decimals
  data[45] = 1 // is_initialized
  return { owner: balance.programId ?? 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', data }
}

function poolIn(transaction: ChainTransaction, address: string): ChainAccount | undefined {
  const keys = accountsOf(transaction)
  if (!keys.includes(address)) return undefined
  const { message } = transaction.transaction
  const inner = (transaction.meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions)
  for (const { programIdIndex, accounts } of [...message.instructions, ...inner]) {
    const pool = POOLS.find(({ program }) => program === keys[programIdIndex])
    if (!pool || keys[accounts[pool.places.pool] ?? -1] !== address) continue
    const mints = pool.places.mints.map((place) => decodeBase58(keys[accounts[place] ?? -1] ?? ''))
    if (mints.some((mint) => mint?.length !== 32)) continue
    const { discriminator, mintsAt, isSorted } = pool.account
    const data = Buffer.alloc(400)
    data.write(discriminator, 'hex')
    const [first, second] = isSorted ? mints.toSorted((a, b) => Buffer.compare(a!, b!)) : mints
    data.set(first!, mintsAt)
    data.set(second!, mintsAt + 32)
    return { owner: pool.program, data }
  }
  return undefined
}

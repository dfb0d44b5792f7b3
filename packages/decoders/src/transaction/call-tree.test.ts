import { expect, it } from 'vitest'
import { REGISTRY } from '../registry.ts'
import { address, aKey, aMovement, aTransaction, TRADER } from '../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../tokens/layout.ts'
import { CallTree } from './call-tree.ts'

// Guards those who take an empty wallet for one that sold everything.
it('says that a wallet holds nothing only if its accounts were closed, and not if the record lost them', () => {
  const [one, two] = [aKey(1), aKey(2)]
  const close = (account: Uint8Array) => {
    return { program: address(TOKEN_PROGRAM), accounts: [account, TRADER, TRADER], data: Uint8Array.of(9) }
  }
  const movements = [one, two].map((account) => aMovement(account, 'mint', 5n, null))
  const balanceAfter = (...closed: Uint8Array[]) =>
    new CallTree(aTransaction({ calls: closed.map(close), movements }), REGISTRY).balanceOf('mint', 'mint')

  expect([balanceAfter(), balanceAfter(one), balanceAfter(one, two)]).toEqual([null, null, '0'])
})

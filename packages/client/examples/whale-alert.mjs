// Prints swaps of 10,000 US dollars and more. After a restart it resumes where it stopped.
import { createPairwire } from '@pairwire/client'
import { fileCursors } from '@pairwire/client/node'

const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const options = { name: 'whales', cursors: fileCursors('cursors.json') }
const whales = pairwire.swaps({ include: { usdValue: 10_000 } }, options)
whales.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

for await (const { swap, signature } of whales)
  console.log(swap.swapType, swap.usdValue, swap.baseTokenMint, signature)

// Prints swaps as they are executed, ahead of confirmation, and takes back those that did not make it into the chain.
import { createPairwire } from '@pairwire/client'

const KEPT_SLOTS = 300 // by then the chain has decided

const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const swaps = pairwire.swaps({ commitment: 'processed', include: { usdValue: 1_000 } })
swaps.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

const printed = new Map() // by signature; a transaction may hold several swaps
swaps.on('slotDropped', ({ signatures }) => {
  for (const signature of signatures) {
    for (const { line } of printed.get(signature) ?? []) console.log('taken back:', line)
    printed.delete(signature)
  }
})

for await (const { swap, signature, slot } of swaps) {
  const line = `${swap.swapType} ${swap.usdValue} ${swap.baseTokenMint} ${signature}`
  console.log(line)
  printed.set(signature, [...(printed.get(signature) ?? []), { line, slot }])
  for (const [old, [first]] of printed) {
    if (first.slot > slot - KEPT_SLOTS) break
    printed.delete(old)
  }
}

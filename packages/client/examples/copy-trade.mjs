// Prints the trades that would copy some wallets. Their addresses are the lines of a file, which you may edit meanwhile.
import { readFileSync, watchFile } from 'node:fs'
import { createPairwire } from '@pairwire/client'

const file = process.argv[2] ?? 'wallets.txt'
const BUDGET_USD = 50

const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const swaps = pairwire.swaps(readFilter())
swaps.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

watchFile(file, { interval: 500 }, async () => {
  try {
    const filter = readFilter()
    await swaps.update(filter)
    console.error('watching', filter.include.walletAccount.length, 'wallets')
  } catch (error) {
    console.error('The wallets are those of before:', error.message)
  }
})

for await (const { swap, signature, blockTime } of swaps) {
  if (Date.now() / 1_000 - blockTime > 60) continue // resumed after a break: too late to copy
  const { swapType, baseTokenMint, quotePrice, walletAccount } = swap
  const size = swapType === 'buy' ? `for ${BUDGET_USD} USD` : 'completely'
  console.log(
    `would ${swapType} ${baseTokenMint} ${size} at ${quotePrice}, like ${walletAccount} in ${signature}`,
  )
}

function readFilter() {
  return { include: { walletAccount: readFileSync(file, 'utf8').split(/\s+/).filter(Boolean) } }
}

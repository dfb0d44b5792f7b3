import { createPairwire } from '@pairwire/client'

// A program that leaves its stream after the first swap, and does nothing to exit: `ending-program.ts <url> <key>`.

const [url, key] = process.argv.slice(2) as [string, string]
for await (const { signature } of createPairwire({ url, key }).swaps()) {
  process.send?.(signature)
  break
}

import {
  writeCreateMetadata,
  writeInitializeMint,
  writeMintTo,
  writeRevokeMintAuthority,
} from '@pairwire/chain-writer'
import { type Account, holdingOf, movementOf, type Token } from './accounts.ts'
import { type Composed, Composer, type Place } from './composer.ts'
import type { Random } from './random.ts'
import type { TokenName } from './words.ts'

/** Makes the transaction in which `creator` creates a token without a launchpad, names it and gives up minting. */
export function makeToken(
  random: Random,
  {
    token,
    creator,
    name,
    supply,
  }: Readonly<{ token: Token; creator: Account; name: TokenName; supply: bigint }>,
  place: Place,
): Composed {
  const { decimals, tokenProgram, key: mint } = token
  const { account } = holdingOf(token, creator, random)
  const composer = new Composer(random, [creator.key, mint])
  composer.call(writeInitializeMint(tokenProgram, mint, decimals, creator.key))
  composer.call(
    writeCreateMetadata({
      metadata: random.bytes(32),
      mint,
      mintAuthority: creator.key,
      payer: creator.key,
      ...name,
    }),
  )
  composer.call(writeMintTo(tokenProgram, mint, account, creator.key, supply))
  composer.call(writeRevokeMintAuthority(tokenProgram, mint, creator.key))
  composer.move(movementOf(token, account, creator.address, null, supply))
  return composer.finish(place)
}

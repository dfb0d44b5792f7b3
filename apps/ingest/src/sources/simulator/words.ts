import type { Random } from './random.ts'

const FIRST = wordsOf(`
  Amber Bouncy Captain Dizzy Electric Fuzzy Giga Hidden Icy Jolly Knotty Lazy Mellow Noble Orbital Plucky
  Quiet Rusty Sleepy Tiny Umber Velvet Wobbly Zesty Cosmic Doctor Little Midnight Pocket Salty Solar
  Turbo`)

const SECOND = wordsOf(`
  Acorn Badger Comet Dumpling Elk Ferret Goose Heron Iguana Jackal Kettle Lemur Marmot Newt Otter Pigeon
  Quokka Raccoon Sprout Teapot Urchin Vole Walnut Yak Beetle Cactus Lantern Muffin Noodle Puffin Radish
  Turnip`)

/** Most names have no third word. */
const THIRD = ['', '', '', '', ' Club', ' Inu', ' Cash', ' DAO', ' 2', ' Wif Hat', ' of Solana', ' Token']

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** The name and symbol of a new token. */
export type TokenName = Readonly<{ name: string; symbol: string; uri: string }>

/** Invents a name for a mint. */
export type InventName = (random: Random, mint: string) => TokenName

/**
 * Creates made-up names and symbols, with the address of the token's page below `pages`; without that it leads nowhere.
 */
export function createInventName(pages: string | undefined): InventName {
  return (random, mint) => {
    const first = random.pick(FIRST)
    const second = random.pick(SECOND)
    const name = `${first} ${second}${random.pick(THIRD)}`
    const symbol = random.chance(0.5)
      ? second.toUpperCase()
      : (first.slice(0, 2) + second.slice(0, 3)).toUpperCase()
    return { name, symbol, uri: `${pages ?? 'https://metadata.example/'}${mint}.json` }
  }
}

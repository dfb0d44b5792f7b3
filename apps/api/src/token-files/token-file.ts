import { drawToken } from './draw-token.ts'

/** A page or a picture of a simulated token, as it is sent. */
type TokenFile = Readonly<{ type: string; body: string | Buffer }>

/** The content of a simulated token's page. */
type MadeUpToken = Readonly<{ name: string | null; symbol: string | null }>

const FILE_NAME = /^([1-9A-HJ-NP-Za-km-z]{32,44})\.(json|png)$/

/** The mint that a file belongs to; undefined for a name that no file has. */
export function mintOfFile(name: string): string | undefined {
  return FILE_NAME.exec(name)?.[1]
}

/**
 * The file `<mint>.json` or `<mint>.png` of a simulated token; for tokens of the chain, strangers' hosts have such files. Its
 * page names the picture below `prefix`.
 */
export function tokenFile(name: string, prefix: string, token: MadeUpToken): TokenFile | undefined {
  const [, mint, ending] = FILE_NAME.exec(name) ?? []
  if (mint === undefined) return undefined
  if (ending === 'png') return { type: 'image/png', body: drawToken(mint) }
  const account = (token.name ?? mint).replace(/\W/g, '').toLowerCase()
  const page = {
    name: token.name,
    symbol: token.symbol,
    description: 'A token that the simulator made up.',
    image: `${prefix}${mint}.png`,
    website: `https://${account}.example/`,
    twitter: `https://x.com/${account}`,
  }
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(page) }
}

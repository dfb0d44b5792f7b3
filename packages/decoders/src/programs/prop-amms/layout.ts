import type { Exchange } from '@pairwire/contract/exchanges'
import { bytesOfHex, holdsAt } from '../../bytes/discriminator.ts'

/** One form of a venue's swap: its data, and the indexes of its accounts. */
export type SwapForm = Readonly<{
  /** Whether it has this name, with data of this size. */
  isNamed(name: Uint8Array, size: number): boolean
  /** Minimum number of accounts. */
  accounts: number
  pool: number
  /** The authority. */
  authority: number
  /** The trader's accounts and the vaults: the first of each have the same mint, and so do the second. */
  users: readonly [number, number]
  vaults: readonly [number, number]
}>

/** A venue and the forms of its swaps. */
export type Venue = Readonly<{
  exchange: Exchange
  program: string
  swaps: readonly SwapForm[]
  /** Whether pools share vaults, and the first user and vault are the input; otherwise they are the pool's first. */
  isShared?: boolean
  /** Bytes of an instruction's name, if not one. */
  discriminatorBytes?: number
  /** Returns an instruction's name, if its data does not begin with it. */
  nameOf?: (data: Uint8Array) => Uint8Array
  /** First bytes of calls that move tokens and are no swaps. */
  others?: readonly number[]
}>

/** `names`: first bytes of the data in hex, and its size, as `02:18`; several with the same indexes. */
function swap(names: string, accounts: number, places: Omit<SwapForm, 'isNamed' | 'accounts'>): SwapForm {
  const known = names.split(' ').map((name) => {
    const [hex = '', size] = name.split(':')
    return { bytes: bytesOfHex(hex), size: Number(size) }
  })
  const isNamed: SwapForm['isNamed'] = (name, size) =>
    known.some((each) => each.size === size && holdsAt(name, each.bytes, 0))
  return { ...places, accounts, isNamed }
}

function venue(exchange: Exchange, program: string, more: Partial<Venue>, swaps: Venue['swaps']): Venue {
  return { exchange, program, swaps, ...more }
}

/** HumidiFi obfuscates its data: it XORs each byte with one of the key, and every two with the index of their 8. */
const HUMIDIFI_KEY = bytesOfHex('3aff2fffe2baebc3')

/** HumidiFi's instruction name: the last byte, deobfuscated. The data of all its swaps has odd sizes. */
function lastPlainByte(data: Uint8Array): Uint8Array {
  const last = data.length - 1
  return Uint8Array.of(data[last]! ^ HUMIDIFI_KEY[last % 8]! ^ (last >> 3))
}

/**
 * Venues whose programs are not public, and Manifest, an order book: none reports its swaps readably. Names and indexes
 * are those of public decoders and routers. After each: R compared with a swap recorded on mainnet, E with one executed
 * by the real program, C from code alone.
 *
 * @see https://github.com/DefaultPerson/solana-dex-parser-go `parsers/propamm/venues.go` (0320592)
 * @see https://github.com/ColourfulMelon/substreams-svm `native_venues.rs` (25b6e01)
 * @see https://github.com/CKS-Systems/manifest
 */
export const VENUES: readonly Venue[] = [
  venue('bisonfi', 'BiSoNHVpsVZW2F7rx2eQ59yQwKxzU5NvBcmKshCSUypi', {}, [
    swap('02:18 07:19 13:153', 8, { pool: 1, authority: 0, users: [4, 5], vaults: [2, 3] }), // E; 07 and 13 C
  ]),
  venue('goonfi_v2', 'goonuddtQRrWqqn5nFyczVKaie28f3kDkHWkHtURSLE', {}, [
    swap('01:18 01:19', 13, { pool: 1, authority: 0, users: [2, 3], vaults: [4, 5] }), // R
  ]),
  venue('tessera', 'TessVdML9pBGgG9yGks7o4HewRaXVAMuoVj4x83GLQH', {}, [
    swap('10:18 11:18', 12, { pool: 1, authority: 2, users: [5, 6], vaults: [3, 4] }), // R E; 11 C
  ]),
  venue('scorch', 'SCoRcH8c2dpjvcJD6FiPbCSQyQgu3PcUAWj2Xxx3mqn', { isShared: true }, [
    swap('02:34', 17, { pool: 15, authority: 1, users: [2, 3], vaults: [4, 5] }), // C
    swap('01:34', 12, { pool: 11, authority: 1, users: [2, 3], vaults: [4, 5] }), // C
  ]),
  venue('quantum', 'QuaNtZsgYRe5Z9Bk4LZ4cTD9tbkVoyCNf1R2BN9bBDv', {}, [
    swap('07:18', 10, { pool: 3, authority: 0, users: [1, 2], vaults: [4, 5] }), // C
  ]),
  venue('alphaq', 'ALPHAQmeA7bjrVuccPsYPiCvsi428SNwte66Srvs4pHA', {}, [
    swap('0c:18', 12, { pool: 1, authority: 0, users: [3, 4], vaults: [5, 6] }), // R; which account is the pool C
  ]),
  venue('humidifi', '9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp', { nameOf: lastPlainByte }, [
    swap('04:25 0f:25 14:25', 9, { pool: 1, authority: 0, users: [4, 5], vaults: [2, 3] }), // R E
    swap('1c:113 32:137', 9, { pool: 1, authority: 0, users: [4, 5], vaults: [2, 3] }), // C
  ]),
  venue('solfi_v2', 'SV2EYYJyRz2YhfXwXnhNAevDEui5Q6yrfyo13WtupPF', {}, [
    swap('07:18 07:25 0e:18 0e:25', 13, { pool: 1, authority: 0, users: [6, 7], vaults: [4, 5] }), // R E; 0e C
  ]),
  venue('zerofi', 'ZERor4xhbUycZ6gb9ntrhqscUcZmAbQDjEAtCf4hbZY', { isShared: true }, [
    swap('06:17', 10, { pool: 0, authority: 7, users: [5, 6], vaults: [2, 4] }), // R, until 2025
    swap('10:17 10:18 10:57', 14, { pool: 0, authority: 8, users: [6, 7], vaults: [3, 5] }), // C, since 2026
  ]),
  // Its others: Deposit, Withdraw, BatchUpdate, GlobalDeposit, GlobalWithdraw, GlobalEvict.
  venue('manifest', 'MNFSTqtC93rEfYHB6hF82sKdZpUDFWkViLByLd1k1Ms', { others: [2, 3, 6, 9, 10, 11] }, [
    swap('04:19', 8, { pool: 1, authority: 0, users: [3, 4], vaults: [5, 6] }), // E
    swap('0d:19', 9, { pool: 2, authority: 1, users: [4, 5], vaults: [6, 7] }), // E
  ]),
  venue('obric_v2', 'obriQD1zbpyLz95G5n7nJe6a4DPjpFwa5XYPoNm113y', { discriminatorBytes: 8 }, [
    swap('f8c69e91e17587c8:25', 12, { pool: 0, authority: 10, users: [5, 6], vaults: [3, 4] }), // R
    swap('414b3f4ceb5b5b88:25', 12, { pool: 0, authority: 10, users: [5, 6], vaults: [3, 4] }), // E
  ]),
]

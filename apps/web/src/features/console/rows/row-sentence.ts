import { quoteSymbol } from '@pairwire/contract/mints'
import { relativeTime } from '../../../locale/relative-time.ts'
import { serverClock } from '../../../session/server-clock.ts'
import { cleanName } from '../feed/clean-name.ts'
import { exchangeName } from '../feed/exchange-name.ts'
import type { Row } from '../feed/row.ts'
import { shorten } from '../feed/shorten.ts'

/** Describes a row in one sentence for screen readers: `Buy, Raydium, HARB, 412 dollars 9 cents, …, 3 seconds ago`. */
export function rowSentence(row: Row, now: number): string {
  return [...parts(row), standing(row), spokenAge(rowTime(row), now)].filter((part) => part !== '').join(', ')
}

/** Describes its commitment; empty for confirmed events. */
function standing({ reading, isTakenBack }: Row): string {
  if (isTakenBack) return 'taken back'
  return reading.kind !== 'message' && reading.isEarly ? 'not confirmed yet' : ''
}

/** Returns the label of a row's raw JSON button: `Raw JSON for Buy HARB, 47.18 US dollars`. */
export function rawJsonName(row: Row): string {
  const { reading } = row
  if (reading.kind === 'message') return `Raw JSON for message ${reading.words.slice(0, 40)}`
  const what = reading.kind === 'swap' ? (reading.isBuy ? 'Buy' : 'Sell') : 'New pair'
  const usd = reading.kind === 'swap' && reading.usd !== null ? `, ${reading.usd.toFixed(2)} US dollars` : ''
  return `Raw JSON for ${what} ${tokenName(row)}${usd}`
}

/** Unix milliseconds of the event: its block's time, by this device's clock or one so far `behind`, else its arrival. */
export function rowTime({ reading, at }: Row, behind = serverClock.offset()): number {
  return reading.kind !== 'message' && reading.blockTime !== null ? reading.blockTime * 1000 - behind : at
}

/** Returns the symbol of a swap's token, a pair's name, else its symbol, else the short mint. */
export function tokenName({ reading, symbol }: Row): string {
  if (reading.kind === 'message') return ''
  const known = reading.kind === 'pair' ? [reading.name, reading.symbol] : [symbol]
  return known.map(cleanName).find(Boolean) ?? shorten(reading.mint)
}

const MESSAGE_WORDS = { result: 'Message', error: 'Error', gap: 'Gap', notice: 'Message' } as const

function parts(row: Row): string[] {
  const { reading } = row
  switch (reading.kind) {
    case 'message':
      return [MESSAGE_WORDS[reading.tone], reading.words, reading.detail]
    case 'pair':
      return [
        'New pair',
        exchangeName(reading.exchange, reading.mint),
        tokenName(row),
        cleanName(reading.symbol),
        reading.isMigration ? 'migration' : '',
      ]
    case 'swap':
      return [
        reading.isBuy ? 'Buy' : 'Sell',
        exchangeName(reading.exchange, reading.mint),
        tokenName(row),
        reading.usd === null ? 'value unknown' : spokenUsd(reading.usd),
        reading.price === '' ? '' : `${reading.price} ${quoteSymbol(reading.quoteMint) ?? ''}`.trim(),
        reading.wallet === '' ? '' : `wallet ${spokenShort(reading.wallet)}`,
      ]
  }
}

function spokenUsd(usd: number): string {
  const cents = Math.round(usd * 100)
  const dollars = Math.floor(cents / 100)
  const words = [`${dollars} dollar${dollars === 1 ? '' : 's'}`]
  if (cents % 100 > 0) words.push(`${cents % 100} cent${cents % 100 === 1 ? '' : 's'}`)
  return words.join(' ')
}

function spokenShort(text: string): string {
  return shorten(text).replace('…', ' to ')
}

function spokenAge(at: number, now: number): string {
  return relativeTime(at, now).replace(/(\d+)([dhms])/g, (_, digits: string, unit: keyof typeof UNITS) => {
    const count = Number(digits)
    return `${count} ${UNITS[unit]}${count === 1 ? '' : 's'}`
  })
}

const UNITS = { d: 'day', h: 'hour', m: 'minute', s: 'second' } as const

import { describe, expect, it } from 'vitest'
import { readEvent } from '../feed/read-event.ts'
import type { Row, RowReading } from '../feed/row.ts'
import { asCsv, asNdjson } from './export-rows.ts'

const aRow = (frame: object | string, symbol = ''): Row => {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame)
  return { id: 1, at: Date.UTC(2026, 10, 21), text, symbol, reading: readEvent(text) as RowReading }
}
const aSwap = (fields: object = {}, symbol = '') =>
  aRow(
    {
      method: 'swapNotification',
      params: {
        signature: 'sig',
        blockTime: 1_795_201_702,
        swap: { swapType: 'sell', sourceExchange: 'pumpswap', quotePrice: '-1', usdValue: 2.5, ...fields },
      },
    },
    symbol,
  )

describe('rows as lines of JSON', () => {
  it('are the received frames, one per line', () => {
    const big = '{"id":12345678901234567890}'

    expect(asNdjson([aRow(big), aRow('{"a":\n1}'), aRow('no json\nat all')])).toBe(
      `${big}\n{"a": 1}\n"no json\\nat all"\n`,
    )
  })

  it("omit the console's own messages", () => {
    expect(asNdjson([{ ...aSwap(), text: '' }])).toBe('')
  })
})

describe('rows as CSV', () => {
  it('have a header and a line per row', () => {
    const [head, line, rest] = asCsv([aSwap({ baseTokenMint: 'mint', walletAccount: 'w' }, 'HARB')]).split(
      '\r\n',
    )

    expect(head).toContain('"time","kind","exchange","symbol"')
    expect(line).toBe(
      '"2026-11-20T19:08:22.000Z","sell","PumpSwap","HARB","","mint","-1","","2.5","w","sig",""',
    )
    expect(rest).toBe('')
  })

  it.each([
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+1+1', `"'+1+1"`],
    ['-2+3', `"'-2+3"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['  =1', `"'  =1"`],
    ['＝1', `"'＝1"`],
    ['a "quoted", b', '"a ""quoted"", b"'],
    ['two\nlines', '"two\nlines"'],
  ])('turn %j into text', (symbol, written) => {
    expect(asCsv([aSwap({}, symbol)])).toContain(`,${written},`)
  })

  it('have the name of a swap’s token if it is known', () => {
    const [, line] = asCsv([aSwap({ baseTokenMint: 'mint' }, 'HARB')], (mint) => `Name of ${mint}`).split(
      '\r\n',
    )

    expect(line).toContain('"HARB","Name of mint","mint"')
  })

  it('put a message into the last cell', () => {
    const line = asCsv([aRow({ id: 1, error: { code: -32602, message: '=cmd' } })]).split('\r\n')[1]!

    expect(line.split(',')).toHaveLength(12)
    expect(line.endsWith(`"'=cmd code -32602"`)).toBe(true)
  })
})

import { readFileUrl } from '@pairwire/public-fetch'
import { describe, expect, it } from 'vitest'
import { pagesOfSource } from './stand-in-pages.ts'

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

describe("the pages of a source's tokens", () => {
  it.each([
    ['yellowstone+http://127.0.0.1:10000', '127.0.0.1', 10_000],
    ['yellowstone+http://localhost:10000', '127.0.0.1', 10_000],
    ['rpc+http://127.0.0.1:8899/', '127.0.0.1', 8_899],
    ['logs+ws://[::1]:10000', '::1', 10_000],
    ['RPC+HTTP://127.8.0.1', '127.8.0.1', 80],
    [' yellowstone+http://127.0.0.1:10000  rpc+http://localhost:10000 ', '127.0.0.1', 10_000],
  ])('are at its own address for a stand-in on this machine: %s', (setting, address, port) => {
    const host = address.includes(':') ? `[${address}]` : address
    const prefix = `http://${host}:${port}/dev/tokens/`

    const pages = pagesOfSource(setting)

    expect(pages).toEqual({ prefix, address, port })
    expect(readFileUrl(`${prefix}${MINT}.json`, pages)).toBeDefined()
    expect(readFileUrl(`http://${host}:${port + 1}/dev/tokens/${MINT}.json`, pages)).toBeUndefined()
    expect(readFileUrl(`http://${host}:${port}/${MINT}.json`, pages)).toBeUndefined()
  })

  it.each([
    'yellowstone+https://127.0.0.1:10000',
    'yellowstone+http://10.0.0.1:10000',
    'yellowstone+http://chain.example:10000',
    'yellowstone+http://localhost.example:10000',
    'yellowstone+http://127.0.0.1.example:10000',
    'logs+wss://127.0.0.1:10000',
    'rpc+ftp://127.0.0.1/',
    'yellowstone+http://127.0.0.1:10000 yellowstone+https://chain.example',
    'yellowstone+http://127.0.0.1:10000 yellowstone+http://127.0.0.1:10001',
    'simulator',
    'replay:/data',
    '',
  ])('are only on the public internet for %s', (setting) => {
    expect(pagesOfSource(setting)).toBeUndefined()
  })
})

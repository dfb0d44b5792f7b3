// A sender so light that it does not compete with the browser for the machine: frames are made once, and only the
// ten digits of their block time are written anew before each is sent.

const SOL = 'So11111111111111111111111111111111111111112'
const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const EXCHANGES = ['pumpfun', 'pumpswap', 'pumpswap', 'raydium', 'raydium_launchlab', 'meteora_dlmm']
const TOKENS = [
  'Harbour|HARB',
  'Paper Crane|CRANE',
  'Kelp|KELP',
  'Third Rail|RAIL3',
  'Mint Condition|MNTC',
  'Lemur|LEMUR',
]
const FRAMES = 2_000
const TICK_MS = 20
const BLOCK_MS = 400

/** Makes events of a seeded, plausible market as finished websocket frames. */
export function createSender(seed = 7) {
  const random = mulberry(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const base58 = (length) => Array.from({ length }, () => pick(LETTERS)).join('')
  const tokens = TOKENS.map((token) => ({ token, mint: `${base58(39)}pump` }))
  tokens.push({ token: 'Bonk of Day|BOD', mint: `${base58(40)}bonk` })
  const frames = Array.from({ length: FRAMES }, (_, index) => frame(index % 37 === 3 ? aPair() : aSwap()))

  /**
   * Sends `perSecond` events a second for `seconds`, or until the socket closes; at most `limit` events.
   * @returns the number sent.
   */
  async function send(socket, { perSecond, seconds, limit = Number.POSITIVE_INFINITY }) {
    const started = performance.now()
    let sent = 0
    let blocks = 0
    for (;;) {
      const age = performance.now() - started
      const due = Math.min(limit, Math.floor((Math.min(age, seconds * 1000) / 1000) * perSecond))
      const parts = []
      if (age >= blocks * BLOCK_MS) parts.push(frame(aBlock(blocks++)).bytes)
      const now = String(Math.floor(Date.now() / 1000))
      for (; sent < due; sent++) {
        const { bytes, timeAt } = frames[sent % FRAMES]
        bytes.write(now, timeAt, 'latin1')
        // A frame may be due twice in one write only if there are more events than frames.
        parts.push(due - sent > FRAMES ? Buffer.from(bytes) : bytes)
      }
      if (socket.destroyed || age >= seconds * 1000 || sent >= limit) {
        if (!socket.destroyed) socket.write(Buffer.concat(parts))
        return sent
      }
      if (parts.length > 0) socket.write(Buffer.concat(parts))
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
  }

  return { send }

  function aSwap() {
    const { mint } = pick(tokens)
    const usd = Math.exp(random() * 7) * (random() < 0.02 ? 40 : 1)
    return {
      method: 'swapNotification',
      params: {
        slot: 398_214_771,
        signature: base58(88),
        blockTime: 1_700_000_000,
        swap: {
          sourceExchange: mint.endsWith('bonk') ? 'raydium_launchlab' : pick(EXCHANGES),
          ammAccount: base58(44),
          baseTokenMint: mint,
          quoteTokenMint: SOL,
          walletAccount: base58(44),
          quotePrice: (Math.exp(random() * -16) * 0.9).toPrecision(12),
          usdValue: Math.round(usd * 100) / 100,
          baseAmount: String(Math.floor(random() * 1e15)),
          quoteAmount: String(Math.floor(random() * 1e12)),
          swapType: random() < 0.56 ? 'buy' : 'sell',
          quoteTokenLiquidity: String(Math.floor(random() * 1e12)),
        },
      },
    }
  }

  function aPair() {
    const { token, mint } = pick(tokens)
    const [name, symbol] = token.split('|')
    return {
      method: 'newPairNotification',
      params: {
        slot: 398_214_771,
        signature: base58(88),
        blockTime: 1_700_000_000,
        pair: {
          sourceExchange: mint.endsWith('bonk') ? 'raydium_launchlab' : pick(EXCHANGES),
          ammAccount: base58(44),
          baseToken: {
            account: mint,
            info: {
              decimals: 6,
              supply: '1000000000000000',
              metadata: { name, symbol, logo: null, socials: null },
            },
          },
          quoteToken: { account: SOL, info: null },
          baseTokenLiquidityAdded: '793100000000000',
          quoteTokenLiquidityAdded: '0',
          migration: random() < 0.3 ? 'pumpfun' : null,
        },
      },
    }
  }
}

function aBlock(index) {
  const blockTime = Math.floor(Date.now() / 1000)
  return { method: 'latestBlockNotification', params: { block: 398_214_771 + index, blockTime } }
}

let cursors = 0

/** An unmasked text frame (RFC 6455, section 5.2), and where its block time stands. */
function frame(notification) {
  const cursor = `000000000001.398214771.${++cursors}`
  const body = Buffer.from(JSON.stringify({ subscription_id: 2, ...notification, cursor }))
  const head = body.length < 126 ? Buffer.from([0x81, body.length]) : Buffer.from([0x81, 126, 0, 0])
  if (body.length >= 126) head.writeUInt16BE(body.length, 2)
  const bytes = Buffer.concat([head, body])
  return { bytes, timeAt: bytes.indexOf('"blockTime":') + '"blockTime":'.length }
}

/** A small seeded generator: the same market in every run. */
function mulberry(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

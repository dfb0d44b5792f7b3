// Which decoder is right, transaction by transaction: both are compared with the expected events of each recording.

/** Programs of the expected rows that we decode, with the peer's names for them. */
const PROGRAMS = {
  pumpfun: ['Pumpfun'],
  pumpswap: ['Pumpswap'],
  'raydium-v4': ['RaydiumV4'],
  'raydium-cpmm': ['RaydiumCPMM'],
  'raydium-launchlab': ['RaydiumLaunchpad'],
  'raydium-clmm': ['RaydiumCL'],
  'meteora-dlmm': ['MeteoraDLMM'],
  'meteora-damm-v1': ['MeteoraDamm'],
  'meteora-damm-v2': ['MeteoraDammV2'],
  'meteora-dbc': ['MeteoraDBC'],
  'orca-whirlpool': ['Orca', 'OrcaV2'],
}
const PEER_NAMES = new Set(Object.values(PROGRAMS).flat())

/**
 * Counts by program how many transactions each side decodes correctly, as rows of Markdown, and lists those that only one
 * side does. A transaction counts for each program that it uses; one without a program counts as `nothing`.
 */
export function compare(recordings, { decode, parse }) {
  const byProgram = new Map()
  const onlyRight = { ours: [], peer: [] }
  for (const { signature, read, expected } of recordings) {
    const rows = expected.filter(({ program, kind }) => program in PROGRAMS && KINDS.has(kind))
    const isRight = {
      ours: isAll(rows, readOurs(decode(read()), read())),
      peer: isAll(rows, readPeers(parse(read()))),
    }
    const programs = new Set(rows.map(({ program }) => program))
    for (const program of programs.size === 0 ? ['nothing'] : programs) {
      const count = byProgram.get(program) ?? { transactions: 0, ours: 0, peer: 0 }
      byProgram.set(program, count)
      count.transactions++
      if (isRight.ours) count.ours++
      if (isRight.peer) count.peer++
    }
    if (isRight.ours && !isRight.peer) onlyRight.ours.push(signature)
    if (isRight.peer && !isRight.ours) onlyRight.peer.push(signature)
  }
  const table = [...byProgram]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([program, { transactions, ours, peer }]) => `| ${program} | ${transactions} | ${ours} | ${peer} |`)
  return { table, onlyRight }
}

const KINDS = new Set(['swap', 'newPair'])

/** An event in a form that both sides can be converted to: what the pool received (`in`) and paid (`out`). */
function readOurs({ events }, record) {
  return events.map((event) => {
    if (event.kind === 'newPair')
      return { kind: 'newPair', pool: event.ammAccount, mint: event.baseToken.mint }
    const isBuy = event.swapType === 'buy'
    const base = { mint: event.baseTokenMint, amount: `${event.baseAmount}` }
    const quote = { mint: event.quoteTokenMint, amount: `${event.quoteAmount}` }
    const [taken, given] = isBuy ? [quote, base] : [base, quote]
    return { kind: 'swap', taken, given, wallet: event.walletAccount, record }
  })
}

function readPeers({ trades, liquidities, memeEvents }) {
  const swaps = new Map()
  for (const { amm, inputToken, outputToken, user } of trades) {
    if (!PEER_NAMES.has(amm)) continue
    const taken = { mint: inputToken.mint, amount: inputToken.amountRaw }
    const given = { mint: outputToken.mint, amount: outputToken.amountRaw }
    swaps.set(JSON.stringify([taken, given, user]), { kind: 'swap', taken, given, wallet: user })
  }
  const pools = liquidities
    .filter(({ type, amm }) => type === 'CREATE' && PEER_NAMES.has(amm))
    .map(({ poolId, token0Mint, token1Mint }) => ({
      kind: 'newPair',
      pool: poolId,
      mints: [token0Mint, token1Mint],
    }))
  const curves = memeEvents
    .filter(({ type, protocol }) => type === 'CREATE' && PEER_NAMES.has(protocol))
    .map(({ bondingCurve, baseMint }) => ({ kind: 'newPair', pool: bondingCurve, mints: [baseMint] }))
  return [...swaps.values(), ...pools, ...curves]
}

/** Whether the events found match the expected ones: none missing, different or extra. */
function isAll(rows, found) {
  const left = [...found]
  for (const row of rows) {
    const at = left.findIndex((event) => isSame(row, event))
    if (at < 0) return false
    left.splice(at, 1)
  }
  return left.length === 0
}

function isSame(row, event) {
  if (row.kind !== event.kind) return false
  const baseMint = row.baseMint ?? row.mintA
  const quoteMint = row.quoteMint ?? row.mintB
  if (row.kind === 'newPair') return row.pool === event.pool && (event.mint ?? baseMint) === baseMint
  const [inMint, outMint] =
    row.inputMint !== undefined
      ? [row.inputMint, row.outputMint]
      : row.side === 'buy'
        ? [quoteMint, baseMint]
        : [baseMint, quoteMint]
  return (
    event.wallet === row.wallet &&
    event.taken.mint === inMint &&
    event.given.mint === outMint &&
    takenOf(row, event).includes(event.taken.amount) &&
    [row.poolAmountOut, row.amountOut].includes(event.given.amount)
  )
}

/** Either side of the input; a mint's own fee leaves what the vault's balance shows. */
function takenOf(row, event) {
  const amounts = [row.poolAmountIn, row.amountIn]
  if (!row.verified?.includes('Token-2022 transfer fee') || event.record === undefined) return amounts
  const { meta, transaction } = event.record
  const keys = [
    ...transaction.message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ]
  const vault = keys.indexOf(row.vaultIn)
  const balance = (list) =>
    BigInt(list.find(({ accountIndex }) => accountIndex === vault)?.uiTokenAmount.amount ?? 0)
  return [...amounts, `${balance(meta.postTokenBalances) - balance(meta.preTokenBalances)}`]
}

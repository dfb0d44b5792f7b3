/**
 * Well-known pools of SOL against a stable token. Nobody else's pool can have such an address, and a wrong one would
 * only be silent: `prices` judges it by its trades.
 */
export const KNOWN_SOL_POOLS: ReadonlySet<string> = new Set([
  // Raydium AMM v4, SOL/USDC.
  '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2',
  // Raydium CLMM, SOL/USDC.
  '3ucNos4NbumPLZNWztqGHNFFgkHeRMBQAVemeeomsUxv',
  // Orca Whirlpool, SOL/USDC, fee 0.04 %.
  'Czfq3xZZDmsdGdUyrNLtRhGc47cXcZtLG4crryfu44zE',
  // Raydium CLMM, SOL/USDT, as in JiqYGkWcYu8GxPZsMdXDnA8tkZvHnHVmNuKr4JYBErm4rgQWssdHCkbe8MzwwNGndyvyNYaaY5vvMhUMPNiQX9u.
  'ExcBWu8fGPdJiaF1b1z3iEef38sjQJks8xvj6M85pPY6',
])

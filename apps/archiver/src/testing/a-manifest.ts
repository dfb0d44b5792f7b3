import { HOUR_FILES, type Manifest } from '@pairwire/contract'

/** The manifest of an hour with one swap. */
export function aManifest(change: Partial<Manifest> = {}): Manifest {
  const sha256 = '0'.repeat(64)
  return {
    format: 1,
    ...{ hour: '20261123-120000', from: '2026-11-23T12:00:00Z', to: '2026-11-23T13:00:00Z' },
    ...{ source: 'chain', made: 'stream', revision: 1, madeAt: '2026-11-23T13:00:10Z', complete: true },
    counts: { swaps: 1, pairs: 0, blocks: 1, byExchange: { pumpswap: 1 }, nulls: 0 },
    ...{ slots: null, cursors: null, chain: null, gaps: [] },
    files: HOUR_FILES.map((kind) => ({ name: `${kind}`, bytes: 4, sha256, rows: 1 })),
    ...change,
  }
}

import type { LiveEndpoint, SourceState } from '@pairwire/contract'

/**
 * The public view of the source: without the host, version or own message of an endpoint. The operator finds these in the log
 * and at /metrics.
 */
export function publicSource(source: SourceState): SourceState {
  const { live, proof, metadata } = source
  const audit = proof?.audit
  return {
    ...source,
    ...(live && { live: { ...live, trouble: null, endpoints: live.endpoints.map(publicEndpoint) } }),
    ...(metadata && { metadata: { ...metadata, trouble: metadata.trouble && 'The RPC does not answer.' } }),
    ...(audit && {
      proof: {
        ...proof,
        audit: { ...audit, host: '', trouble: audit.trouble && 'The RPC gave no block to compare with.' },
      },
    }),
  }
}

const KINDS: Readonly<Record<string, string>> = { yellowstone: 'gRPC', rpc: 'JSON-RPC', logs: 'Program logs' }

function publicEndpoint(
  { name, state, slot }: LiveEndpoint,
  at: number,
  all: readonly LiveEndpoint[],
): LiveEndpoint {
  // A name begins with its kind, and ends with its host.
  const [kind = ''] = name.split(' ')
  const isSame = (other: LiveEndpoint) => other.name.split(' ')[0] === kind
  const count = all.filter(isSame).length
  const place = count > 1 ? ` ${all.slice(0, at + 1).filter(isSame).length} of ${count}` : ''
  return { name: `${KINDS[kind] ?? kind}${place}`, state, slot, version: null, trouble: null }
}

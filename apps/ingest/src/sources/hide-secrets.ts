/** Removes our secrets from a text that a server may have repeated. */
type Hide = (text: string) => string

/** Hides tokens, and the parts of addresses that may be keys; both are optional. */
export function hideSecrets(
  tokens: readonly (string | undefined)[],
  addresses: readonly (URL | string | undefined)[],
): Hide {
  const secrets = [...tokens, ...addresses.flatMap(secretsOf)].filter((secret) => secret !== undefined)
  return (text) =>
    secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '…')), text)
}

function secretsOf(address: URL | string | undefined): string[] {
  if (address === undefined) return []
  const { pathname, searchParams } = new URL(address)
  return [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= 6)
}

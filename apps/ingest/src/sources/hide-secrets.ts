/** Takes out of a text what a stranger's server may repeat of our secrets. */
type Hide = (text: string) => string

/** Hides tokens, and the parts of addresses that may be somebody's key; both may be missing. */
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

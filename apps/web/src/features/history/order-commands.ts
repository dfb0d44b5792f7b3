/** Replaces the token in a displayed command until it is requested. */
const MASK = '••••••••'

/** A command for an order's files. */
type Command = Readonly<{ name: string; text: string }>

/**
 * Makes the commands for an order at the service `origin`; an undefined `token` is masked. The existing service's tool
 * supports only its own address and this machine's port 8000.
 */
export function orderCommands(
  { id, origin }: Readonly<{ id: number; origin: string }>,
  token: string = MASK,
): readonly Command[] {
  const urls = (files: string) => `${origin}/archive/download/urls?token=${token}${files}`
  const fetchAll = (files: string) =>
    `curl -fsS '${urls(files)}' | xargs -n 1 curl -fOJ --create-dirs --output-dir out`
  return [
    { name: 'curl', text: fetchAll('') },
    { name: 'curl, all files', text: fetchAll('&files=all') },
    { name: 'ss-cli', text: `ss-cli download --isLocal --key "$API_KEY" --order-id ${id}` },
    {
      name: 'DuckDB',
      text: `duckdb -c "SELECT sourceExchange, count(*), sum(usdValue) FROM 'out/*.swaps.parquet' GROUP BY 1"`,
    },
    {
      name: 'Polars',
      text: 'pl.scan_parquet("out/*.swaps.parquet").group_by("sourceExchange").agg(pl.col("usdValue").sum()).collect()',
    },
  ]
}

/** What stands in a shown command in the token's place until it is asked for. */
const MASK = '••••••••'

/** A command that works on an order's files. */
type Command = Readonly<{ name: string; text: string }>

/**
 * Commands for an order at the service `origin`; `token` undefined masks it. The existing service's tool knows no other
 * address than its own and this machine's port 8000.
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

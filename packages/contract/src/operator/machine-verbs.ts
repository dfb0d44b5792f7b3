/** A verb of the tool alone, which reads its own words. */
export type MachineVerb = Readonly<{ name: string; words: string; help: string }>

/** Verbs on the machine, by what they work with. The service runs none of them. */
export const MACHINE_VERBS: Readonly<
  Record<'chain' | 'history' | 'backups' | 'parts', readonly MachineVerb[]>
> = {
  chain: [
    {
      name: 'decode',
      words: '<file or folder>…',
      help: 'events of recorded transactions, one line of JSON each',
    },
    {
      name: 'check-source',
      words: '[<url>…]',
      help: 'what an endpoint of the chain is, gives and lacks; without a url, those of SOLANA_SOURCE',
    },
    {
      name: 'audit',
      words: '--from-slot N --to-slot N [--source <url>]',
      help: 'decodes these blocks again and compares them with the stream; without a url, blocks from SOLANA_RPC_URL',
    },
    {
      name: 'chain',
      words: '[--port N] [--swaps N] [--seed N] [--fault <name>=<value>]…',
      help: 'a stand-in for the chain, fed by the simulator',
    },
  ],
  history: [
    {
      name: 'backfill',
      words: '--from T --to T [--source <url>] [--force]',
      help: 'makes hours of history that are missing or incomplete from blocks read again; with --force all of them',
    },
    {
      name: 'backfill',
      words: '--gaps',
      help: 'the same between the oldest and the newest hour that is kept',
    },
    {
      name: 'export',
      words: '--from T --to T [--format <format>] [--out <folder>]',
      help: 'copies hours out: ndjson to the output, or ndjson, zip or parquet to a folder',
    },
    {
      name: 'archive check',
      words: '[--from T --to T] [--chain]',
      help: 'compares the hours with their manifests and each other, with --chain also with the blocks of SOLANA_RPC_URL',
    },
  ],
  backups: [
    {
      name: 'backup',
      words: '<file>|-',
      help: 'accounts, orders, secrets and look as one zip for its owner',
    },
    {
      name: 'restore',
      words: '<file> [--check]',
      help: 'fills an empty data folder and database from a backup; with --check a temporary folder, to prove that it opens',
    },
  ],
  parts: [
    {
      name: 'doctor',
      words: '[--only a,b] [--mail-to <email>]',
      help: 'checks settings, machine and services, and says how to fix what is wrong; exits with 1 on a fault',
    },
    {
      name: 'version',
      words: '',
      help: 'versions of this code, of Node and of the schema',
    },
    {
      name: 'ingest | archiver | gateway | api',
      words: '',
      help: 'one part alone, connected to the others by NATS_URL and DATABASE_URL',
    },
  ],
}

// `npm run torture -- [--deployment | --restarts | --store] [how many] [seed]`: faults at random, for as long as is
// asked. Without a kind it is the way from the chain to what is published.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './prepare.mjs'

const KINDS = {
  '': 'apps/ingest/src/testing/run-torture.ts',
  '--deployment': 'e2e/deployment/run-torture.ts',
  '--restarts': 'apps/gateway/src/testing/run-restart-torture.ts',
  '--store': 'packages/bus/src/testing/run-store-torture.ts',
}

const words = process.argv.slice(2)
const kind = words[0]?.startsWith('--') ? words.shift() : ''
if (!(kind in KINDS)) {
  console.error(`There is no torture ${kind}; there are ${Object.keys(KINDS).filter(Boolean).join(', ')}.`)
  process.exit(2)
}
const child = spawn(process.execPath, ['--import', 'tsx', join(root, KINDS[kind]), ...words], {
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (status) => process.exit(status ?? 1))

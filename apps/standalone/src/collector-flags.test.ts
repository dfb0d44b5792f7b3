import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

it('gets the same flags wherever a process of ours starts: a small young generation, one helper thread, and an old generation collected once it has grown by two fifths', () => {
  const flags = ['--max-semi-space-size=4', '--v8-pool-size=1', '--heap-growing-percent=40']
  const line = flags.join(' ')
  const units = readdirSync(new URL('deploy/systemd/', root)).filter((name) => name.endsWith('.service'))

  expect(JSON.parse(read('package.json')).scripts.start).toBe(`exec node ${line} scripts/start.mjs`)
  expect(read('deploy/one-machine/compose.yaml')).toContain(`[node, ${flags.join(', ')}, apps/`)
  expect(read('deploy/Dockerfile')).toContain(`ENTRYPOINT ["node", "${flags.join('", "')}", "apps/`)
  for (const unit of units) {
    expect(read(`deploy/systemd/${unit}`)).toMatch(
      new RegExp(`^ExecStart=/usr/bin/node ${line} .*apps/`, 'm'),
    )
  }
  expect(units.length).toBeGreaterThan(0)
})

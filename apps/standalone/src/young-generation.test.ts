import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

it('is as small as the decision says wherever a process of ours is started', () => {
  const flag = '--max-semi-space-size=4'
  const units = readdirSync(new URL('deploy/systemd/', root)).filter((name) => name.endsWith('.service'))

  expect(JSON.parse(read('package.json')).scripts.start).toBe(`exec node ${flag} scripts/start.mjs`)
  expect(read('deploy/Dockerfile')).toContain(`ENTRYPOINT ["node", "${flag}", "apps/`)
  for (const unit of units) {
    expect(read(`deploy/systemd/${unit}`)).toContain(`ExecStart=/usr/bin/node ${flag} apps/`)
  }
  expect(units.length).toBeGreaterThan(0)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { root } from './service.ts'

// Guards alarms and pictures that nobody would miss: a rule about a metric without a value is never raised.
it.each(['deploy/prometheus/alerts.yaml', 'deploy/grafana/pairwire.json'])(
  '%s names only metrics that /metrics serves',
  async (file) => {
    const served = await (await fetch(`${inject('serviceUrl')}/metrics`)).text()
    const names = new Set(
      [...served.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [name, `${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
      ),
    )

    const named = new Set(readFileSync(join(root, file), 'utf8').match(/\b(pairwire|nodejs|process)_\w+/g))

    expect([...named].filter((name) => !names.has(name))).toEqual([])
    expect(named.size).toBeGreaterThan(15)
  },
)

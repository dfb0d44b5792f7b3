import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ALARM_RULES } from '../../apps/api/src/alarms/alarm-table.ts'

const folder = import.meta.dirname
const read = (name: string) => parse(readFileSync(`${folder}/${name}`, 'utf8'))
const run = (...args: string[]) => {
  const env = { ...process.env, GOGC: '400' } // it collects garbage less often, and takes a fifth less
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8', env })
  return { status, said: `${stdout}${stderr}` }
}
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

type Rule = { alert: string; for?: string; annotations: { summary: string } }
const [alarms] = (read('alerts.yaml') as { groups: { rules: Rule[] }[] }).groups

describe('the rules for Prometheus', () => {
  it('have one for each alarm of the service, with its sentence and its patience', () => {
    expect(alarms!.rules.map(({ alert, annotations }) => [alert, annotations.summary])).toEqual(
      ALARM_RULES.map(({ name, sentence }) => [name, sentence]),
    )
    for (const { alert, for: patience } of alarms!.rules.filter((rule) => rule.for)) {
      const { patienceMs } = ALARM_RULES.find(({ name }) => name === alert)!
      expect(patience, alert).toBe(
        patienceMs >= 60_000 ? `${patienceMs / 60_000}m` : `${patienceMs / 1_000}s`,
      )
    }
  })

  it('are each tried on recorded series: not raised before the cause, raised by it, and over after it', () => {
    const { tests } = read('recorded.yaml') as {
      tests: { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[]
    }

    expect(tests.map(({ name }) => name)).toEqual(ALARM_RULES.map(({ name }) => name))
    for (const { name, alert_rule_test: tries } of tests)
      expect(
        tries.map(({ alertname, exp_alerts }) => [alertname, exp_alerts.length]),
        name,
      ).toEqual([0, 1, 0].map((count) => [name, count]))
  })

  it.skipIf(!hasPromtool)('hold before promtool, on the recorded series too', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['check', 'config', '--syntax-only', 'prometheus.yaml'],
      ['test', 'rules', 'recorded.yaml'],
    ])
      expect(run(...args)).toMatchObject({ status: 0, said: expect.stringContaining('SUCCESS') })
  })
})

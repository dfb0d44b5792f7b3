import { VERBS } from '@pairwire/contract/operator'
import { expect, it } from 'vitest'
import { usageText } from './usage-text.ts'

it('says every verb with its words and help, on lines that fit a terminal', () => {
  const usage = usageText()

  expect(usage).toMatch(/^ {2}account plan <who> <plan> \[--connections N\] .*\n +grants a plan/m)
  expect(usage).toMatch(/^ {2}order refund <id> --yes +asks the provider/m)
  for (const name of [...Object.keys(VERBS), 'decode', 'audit', 'archive check', 'chain']) {
    expect(usage).toContain(`\n  ${name} `)
  }
  for (const line of usage.split('\n')) expect(line.length, line).toBeLessThanOrEqual(122)
})

it('says only the verb that was asked for, or those of its group', () => {
  const verbs = (asked: string[]) =>
    usageText(asked)
      .split('\n')
      .flatMap((line) => /^ {2}(\w\S*(?: \w+)?)/.exec(line)?.[1] ?? [])

  expect(verbs(['account', 'suspend', 'mara@example.com', '--reason', 'spam'])).toEqual(['account suspend'])
  expect(verbs(['money', 'shw'])).toEqual(['money show'])
  expect(verbs(['key'])).toEqual(['key reset'])
  expect(verbs(['decode'])).toEqual(['decode'])
  for (const unknown of [[], [''], ['--help'], ['acco'], ['toString']]) {
    expect(usageText(unknown)).toBe(usageText())
  }
})

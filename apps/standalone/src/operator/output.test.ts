import { expect, it, onTestFinished, vi } from 'vitest'
import { orStatus } from './output.ts'

it.each([
  "EMFILE: too many open files, open '/data/secrets.json'",
  'could not open file "base/5/1259": Too many open files',
])('a verb that may open too few files says what to set: %s', async (message) => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => reported.mockRestore())

  expect(await orStatus(1, () => Promise.reject(new Error(message)))).toBe(1)

  expect(reported.mock.calls).toEqual([
    [`${message}. Give this process a hard limit of 4096 open files or more (ulimit -Hn).`],
  ])
})

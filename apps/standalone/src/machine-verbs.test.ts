import { expect, it } from 'vitest'
import { runMachineVerb } from './machine-verbs.ts'

it.each(['decode', 'version extra', 'versions', 'archive', 'archive chec'])(
  'a verb of the machine with the wrong words is none: %s',
  async (line) => expect(await runMachineVerb(line.split(' '))).toBeUndefined(),
)

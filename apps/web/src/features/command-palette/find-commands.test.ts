import { describe, expect, it } from 'vitest'
import type { Command } from './command.ts'
import { findCommands, groupCommands } from './find-commands.ts'

describe('finding commands', () => {
  it('returns all of them for an empty query, or spaces', () => {
    const commands = [aCommand('Help'), aCommand('Docs')]

    expect(findCommands(commands, '')).toEqual(commands)
    expect(findCommands(commands, '  ')).toEqual(commands)
  })

  it('finds a part of the label in any case', () => {
    const commands = [aCommand('Test Console'), aCommand('Help')]

    expect(labels(findCommands(commands, 'CONS'))).toEqual(['Test Console'])
  })

  it('requires every typed word, in any order, in the label, the group or the keywords', () => {
    const commands = [
      aCommand('Dark', { group: 'Theme', keywords: 'night' }),
      aCommand('Light', { group: 'Theme' }),
      aCommand('Darkroom', { group: 'Pages' }),
    ]

    expect(labels(findCommands(commands, 'theme dark'))).toEqual(['Dark'])
    expect(labels(findCommands(commands, 'night'))).toEqual(['Dark'])
  })

  it('finds nothing if a word occurs nowhere', () => {
    expect(findCommands([aCommand('Help')], 'help zebra')).toEqual([])
  })
})

describe('grouping commands', () => {
  it('keeps the order of groups and of their commands', () => {
    const commands = [
      aCommand('Account', { group: 'Pages' }),
      aCommand('Dark', { group: 'Theme' }),
      aCommand('Help', { group: 'Pages' }),
    ]

    expect(groupCommands(commands).map(({ name, commands }) => [name, labels(commands)])).toEqual([
      ['Pages', ['Account', 'Help']],
      ['Theme', ['Dark']],
    ])
  })
})

function labels(commands: readonly Command[]): string[] {
  return commands.map(({ label }) => label)
}

function aCommand(label: string, more: Partial<Command> = {}): Command {
  return { id: label, group: 'Pages', label, icon: 'arrow', run: () => {}, ...more }
}

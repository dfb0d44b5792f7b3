import type { Command } from './command.ts'

/** The commands in which every typed word occurs, in their own order; all of them for no words. */
export function findCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ group, label, keywords = '' }) => {
    const text = `${label} ${group} ${keywords}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Commands that stand together under one heading. */
type CommandGroup = Readonly<{ name: string; commands: readonly Command[] }>

/** The commands by their groups, both in the order in which they come. */
export function groupCommands(commands: readonly Command[]): readonly CommandGroup[] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command])
  return [...groups].map(([name, members]) => ({ name, commands: members }))
}

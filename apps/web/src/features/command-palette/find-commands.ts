import type { Command } from './command.ts'

/** Returns the commands that contain every typed word, in order; all of them without words. */
export function findCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ group, label, keywords = '' }) => {
    const text = `${label} ${group} ${keywords}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Commands under one heading. */
type CommandGroup = Readonly<{ name: string; commands: readonly Command[] }>

/** Groups the commands, keeping their order. */
export function groupCommands(commands: readonly Command[]): readonly CommandGroup[] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command])
  return [...groups].map(([name, members]) => ({ name, commands: members }))
}

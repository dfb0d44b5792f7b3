import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { focusHeading } from '../../components/page.tsx'
import { formatCount } from '../../locale/locale.ts'
import type { Command } from './command.ts'
import { findCommands, groupCommands } from './find-commands.ts'
import './command-palette.css'

/** Milliseconds for which a command's answer is shown before the palette closes. */
const ANSWER_MS = 1_200

type CommandPaletteProps = { commands: readonly Command[]; typed: string; onClose: () => void }

/**
 * Finds a command by typing and runs it. A modal dialog with a combobox whose list is always open, after the pattern of
 * the ARIA authoring guide: the focus stays in the field, the arrows move the selection. Mount it to open it; when it
 * closes, the focus returns.
 */
export function CommandPalette({ commands, typed: typedBefore, onClose }: CommandPaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const [typed, setTyped] = useState(typedBefore)
  const [chosenId, setChosenId] = useState<string>()
  const [answer, setAnswer] = useState<{ id: string; text: string }>()

  const found = findCommands(commands, typed)
  const chosen = found.find((command) => command.id === chosenId) ?? found[0]
  const optionId = (command: Command) => `${id}-${command.id}`

  useLayoutEffect(() => {
    const opener = document.activeElement
    const element = dialog.current
    element?.showModal()
    field.current?.focus()
    return () => {
      element?.close()
      if (!(opener instanceof HTMLElement && opener.isConnected)) focusHeading()
    }
  }, [])
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })
  useEffect(() => {
    if (!answer) return
    const timer = setTimeout(onClose, ANSWER_MS)
    return () => clearTimeout(timer)
  }, [answer, onClose])

  // The browser reports a closed dialog a moment later; a key pressed in between must find the palette closed.
  const close = () => {
    dialog.current?.close()
    onClose()
  }
  const run = async (command: Command) => {
    if (typeof command.run === 'object') {
      setChosenId(command.id)
      setAnswer({ id: command.id, text: await command.run.answering() })
      return
    }
    // Closed first, so that the focus returns before the command moves it.
    close()
    command.run()
  }
  const step = (by: number) => {
    setAnswer(undefined)
    const at = chosen ? found.indexOf(chosen) : 0
    setChosenId(found[(at + by + found.length) % found.length]?.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'Enter') {
      if (chosen) void run(chosen)
    } else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      className="dialog palette"
      ref={dialog}
      aria-label="Command palette"
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div className="palette-field aligned">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Find a command"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen ? optionId(chosen) : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          placeholder="Find a command"
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosenId(undefined)
            setAnswer(undefined)
          }}
        />
        <button type="button" className="palette-close" aria-label="Close, Esc" onClick={close}>
          <kbd>Esc</kbd>
          <Icon name="close" />
        </button>
      </div>
      <div
        className="palette-list"
        id={`${id}-list`}
        role="listbox"
        aria-label="Commands"
        hidden={found.length === 0}
      >
        {groupCommands(found).map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box may contain groups, and no fieldset
          <div key={group.name} role="group" aria-label={group.name}>
            <p className="palette-group" aria-hidden="true">
              {group.name}
            </p>
            {group.commands.map((command) => {
              const answered = answer?.id === command.id ? answer.text : undefined
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field runs the selection on Enter
                <div
                  key={command.id}
                  id={optionId(command)}
                  className="palette-option aligned"
                  role="option"
                  tabIndex={-1}
                  aria-selected={command === chosen}
                  // The focus stays in the field.
                  onPointerDown={(event) => event.preventDefault()}
                  onMouseDown={(event) => event.preventDefault()}
                  onPointerMove={() => command !== chosen && setChosenId(command.id)}
                  onClick={() => void run(command)}
                >
                  <Icon name={answered === 'Copied' ? 'check' : command.icon} />
                  <span className="palette-label">{command.label}</span>
                  {(answered ?? command.note) ? (
                    <span className="palette-note">{answered ?? command.note}</span>
                  ) : null}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="palette-none">No command matches “{typed.trim()}”.</p> : null}
      <p className="unseen" role="status">
        {answer?.text ?? (typed.trim() === '' ? '' : howMany(found.length))}
      </p>
      {KEYS}
    </dialog>
  )
}

/** What the keys do, for who sees the palette. */
const KEYS = (
  <p className="palette-foot" aria-hidden="true">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>Enter</kbd> run
    </span>
    <span>
      <kbd>Esc</kbd> close
    </span>
  </p>
)

function howMany(count: number): string {
  return count === 0 ? 'No command matches' : formatCount(count, 'command')
}

import { type FocusEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { chooseTheme, readTheme, THEME_LABELS, THEMES, type Theme } from './theme.ts'

/** Opens the three choices of the colour theme: System, Light, Dark. */
export function ThemeButton() {
  const [open, setOpen] = useState(false)
  const [theme, setTheme] = useState(readTheme)
  const holder = useRef<HTMLDivElement>(null)
  const id = useId()

  const choose = (next: Theme) => {
    chooseTheme(next)
    setTheme(next)
  }
  const close = () => {
    setOpen(false)
    holder.current?.querySelector('button')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  const onBlur = (event: FocusEvent) => {
    if (!holder.current?.contains(event.relatedTarget)) setOpen(false)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches the keys of the controls that it holds
    <div className="theme" ref={holder} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button
        variant="ghost"
        className="tool"
        icon="moon"
        aria-label="Colour theme"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => {
          setTheme(readTheme())
          setOpen(!open)
        }}
      />
      <fieldset className="theme-choices" id={id} hidden={!open}>
        <legend className="unseen">Colour theme</legend>
        {THEMES.map((choice) => (
          <label className="theme-choice" key={choice}>
            <input
              type="radio"
              name={id}
              checked={theme === choice}
              onChange={() => choose(choice)}
              // Arrow keys choose too, and cause clicks without a pointer: the choices stay open for the next one.
              onClick={(event) => event.detail > 0 && close()}
            />
            {THEME_LABELS[choice]}
            {theme === choice ? <Icon name="check" size={15} /> : null}
          </label>
        ))}
      </fieldset>
    </div>
  )
}

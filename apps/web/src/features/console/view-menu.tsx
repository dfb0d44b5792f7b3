import { useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Store, useStore } from '../../components/store.ts'
import { placeBeside } from './place-beside.ts'
import { areShortcutsShown } from './shortcuts-shown.ts'
import {
  COLOURS,
  type Colours,
  chartForm,
  colours,
  DENSITIES,
  type Density,
  density,
} from './view-settings.ts'
import './view-menu.css'

/** Opens the choices of colours, row height and chart, and the list of keys. */
export function ViewMenu() {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLDivElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (opens && popup.current && button.current) placeBeside(popup.current, button.current)
  }
  const showKeys = () => {
    // The focus is back on the menu's button before the dialog takes it.
    popup.current?.hidePopover()
    areShortcutsShown.write(true)
  }
  return (
    <div ref={button}>
      <Button
        size="sm"
        icon="eye"
        className="view-button"
        aria-label="View"
        title="View"
        aria-expanded={isOpen}
        popoverTarget={id}
      />
      <div
        className="view-popup"
        id={id}
        ref={popup}
        popover="auto"
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        <Choices title="Colours" setting={colours} choices={COLOURS} labels={COLOUR_LABELS} />
        <Choices
          title="Rows"
          className="view-rows"
          setting={density}
          choices={DENSITIES}
          labels={DENSITY_LABELS}
        />
        <ChartSwitch className="view-keys view-chart" />
        <button type="button" className="view-keys" aria-haspopup="dialog" onClick={showKeys}>
          Keyboard shortcuts
          <kbd className="key-cap">?</kbd>
        </button>
      </div>
    </div>
  )
}

const COLOUR_LABELS: Readonly<Record<Colours, string>> = {
  teal: 'Teal/Copper',
  green: 'Green/Red',
  mono: 'Mono',
}
const DENSITY_LABELS: Readonly<Record<Density, string>> = { compact: 'Compact', comfortable: 'Comfortable' }

/** Turns the chart into a table and back: beside the legend, and in this menu where the legend has no room. */
export function ChartSwitch({ className }: { className: string }) {
  const isTable = useStore(chartForm) === 'table'
  return (
    <button
      type="button"
      className={className}
      onClick={() => chartForm.write(isTable ? 'picture' : 'table')}
    >
      {isTable ? 'Show as chart' : 'Show as table'}
    </button>
  )
}

function Choices<Choice extends string>({
  title,
  className = '',
  setting,
  choices,
  labels,
}: {
  title: string
  className?: string
  setting: Store<Choice>
  choices: readonly Choice[]
  labels: Readonly<Record<Choice, string>>
}) {
  const chosen = useStore(setting)
  const name = useId()
  return (
    <fieldset className={`view-choices ${className}`}>
      <legend>{title}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="radio"
            name={name}
            checked={choice === chosen}
            onChange={() => setting.write(choice)}
          />
          {labels[choice]}
        </label>
      ))}
    </fieldset>
  )
}

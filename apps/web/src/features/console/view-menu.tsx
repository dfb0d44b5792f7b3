import { useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Store, useStore } from '../../components/store.ts'
import { placeBeside } from './place-beside.ts'
import { COLOURS, type Colours, colours, DENSITIES, type Density, density } from './view-settings.ts'
import './view-menu.css'

/** Opens the choices of colours and row height. */
export function ViewMenu() {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLDivElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (opens && popup.current && button.current) placeBeside(popup.current, button.current)
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
        <Choices title="Rows" setting={density} choices={DENSITIES} labels={DENSITY_LABELS} />
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

function Choices<Choice extends string>({
  title,
  setting,
  choices,
  labels,
}: {
  title: string
  setting: Store<Choice>
  choices: readonly Choice[]
  labels: Readonly<Record<Choice, string>>
}) {
  const chosen = useStore(setting)
  const name = useId()
  return (
    <fieldset className="view-choices">
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

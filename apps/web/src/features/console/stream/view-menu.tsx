import { useId } from 'react'
import { type Store, useStore } from '../../../components/store.ts'
import { ChartSwitch } from '../chart/chart-switch.tsx'
import { COLOURS, type Colours, colours, DENSITIES, type Density, density } from '../rows/view-settings.ts'
import { areShortcutsShown } from '../shortcuts-shown.ts'

/** The choices of colours, row height and chart, and the link to the list of shortcuts. */
export default function ViewMenu({ close }: { close: () => void }) {
  const showKeys = () => {
    // The focus returns to the menu's button before the dialog takes it.
    close()
    areShortcutsShown.write(true)
  }
  return (
    <>
      <Choices title="Colours" setting={colours} choices={COLOURS} labels={COLOUR_LABELS} />
      <Choices
        title="Rows"
        className="view-rows"
        setting={density}
        choices={DENSITIES}
        labels={DENSITY_LABELS}
      />
      <div className="view-chart">
        <ChartSwitch />
      </div>
      <button type="button" className="view-keys aligned" aria-haspopup="dialog" onClick={showKeys}>
        Keyboard shortcuts
        <kbd>?</kbd>
      </button>
    </>
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

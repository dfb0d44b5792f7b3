import { Button } from '../../components/button.tsx'
import { KeyboardPlaces } from '../../components/keyboard-places.tsx'
import { Panel } from '../../components/panel.tsx'

/** All keyboard shortcuts, and a button for the command palette for users without a keyboard. */
export function KeyboardList({ modifier, onPalette }: { modifier: string; onPalette: () => void }) {
  return (
    <Panel
      title="Keyboard"
      className="keyboard"
      aria-label="Keyboard shortcuts"
      aside={
        <Button size="sm" icon="search" onClick={onPalette}>
          Command palette
        </Button>
      }
    >
      <KeyboardPlaces modifier={modifier} />
    </Panel>
  )
}

import './keyboard-places.css'

/** Every keyboard shortcut, by where it works. `modifier` is Ctrl, or ⌘ on a Mac. */
export function KeyboardPlaces({ modifier }: { modifier: string }) {
  return (
    <div className="keyboard-places">
      {placesOf(modifier).map(({ where, shortcuts }) => (
        <div key={where} className="keyboard-place">
          <h3>{where}</h3>
          <dl>
            {shortcuts.map(({ does, keys }) => (
              <div key={does}>
                <dt>{does}</dt>
                <dd>
                  {keys.map((combination) => (
                    <span key={combination.join()} className="keyboard-keys">
                      {combination.map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </div>
  )
}

type Shortcut = Readonly<{ does: string; keys: readonly (readonly string[])[] }>
type Place = Readonly<{ where: string; shortcuts: readonly Shortcut[] }>

function placesOf(modifier: string): readonly Place[] {
  return [
    {
      where: 'Everywhere',
      shortcuts: [
        { does: 'Command palette', keys: [[modifier, 'K']] },
        { does: 'Close the open panel', keys: [['Esc']] },
      ],
    },
    {
      where: 'In the request editor',
      shortcuts: [
        { does: 'Start', keys: [[modifier, 'Enter']] },
        { does: 'Send on the open connection', keys: [[modifier, 'Shift', 'Enter']] },
        { does: 'Format the JSON', keys: [[modifier, 'Shift', 'F']] },
        {
          does: 'Indent, outdent',
          keys: [
            [modifier, ']'],
            [modifier, '['],
          ],
        },
      ],
    },
    {
      where: 'On the chart',
      shortcuts: [
        { does: 'Step through time', keys: [['←'], ['→']] },
        { does: 'Show these rows', keys: [['Enter']] },
      ],
    },
    {
      where: 'In the stream',
      shortcuts: [
        { does: 'Filter', keys: [['/']] },
        { does: 'Pause or resume', keys: [['Space']] },
        { does: 'Row by row', keys: [['↑'], ['↓']] },
        { does: 'First row, last row', keys: [['Home'], ['End']] },
        { does: 'Raw JSON of the row', keys: [['Enter']] },
        { does: 'Open the token', keys: [['T']] },
        { does: 'Copy the JSON', keys: [['C']] },
        { does: 'Copy the full address', keys: [['Alt', 'click']] },
        { does: 'Clear the filter', keys: [['Esc']] },
        { does: 'Show these shortcuts', keys: [['?']] },
      ],
    },
    {
      where: 'In the raw JSON',
      shortcuts: [
        { does: 'Previous row, next row', keys: [['↑'], ['↓']] },
        { does: 'Field by field', keys: [['←'], ['→']] },
        { does: 'Close it', keys: [['Esc']] },
      ],
    },
  ]
}

/** Switches between a picture and a table; a summary of the same look has the same class. */
export function TableSwitch({ isTable, onPress }: { isTable: boolean; onPress: () => void }) {
  return (
    <button type="button" className="table-switch" aria-expanded={isTable} onClick={onPress}>
      {isTable ? 'Show as chart' : 'Show as table'}
    </button>
  )
}

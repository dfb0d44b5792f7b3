import { useStore } from '../../../components/store.ts'
import { TableSwitch } from '../../../components/table-switch.tsx'
import { chartForm } from '../rows/view-settings.ts'

/** Switches the chart to a table and back: next to the legend, or in this menu if the legend has no room. */
export function ChartSwitch() {
  const isTable = useStore(chartForm) === 'table'
  return <TableSwitch isTable={isTable} onPress={() => chartForm.write(isTable ? 'picture' : 'table')} />
}

import { useStore } from '../../../components/store.ts'
import { TableSwitch } from '../../../components/table-switch.tsx'
import { chartForm } from '../rows/view-settings.ts'

/** Turns the chart into a table and back: beside the legend, and in this menu where the legend has no room. */
export function ChartSwitch() {
  const isTable = useStore(chartForm) === 'table'
  return <TableSwitch isTable={isTable} onPress={() => chartForm.write(isTable ? 'picture' : 'table')} />
}

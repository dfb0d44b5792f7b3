import { useStore } from '../../components/store.ts'
import { chartForm } from './view-settings.ts'

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

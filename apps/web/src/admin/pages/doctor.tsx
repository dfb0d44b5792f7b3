import { useIsFetching } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { room } from '../call-room.ts'
import { Facts } from '../facts.tsx'
import { Part } from '../part.tsx'
import { rowsQuery } from '../room-data.ts'
import { TablePart } from '../table-part.tsx'
import { VerbForm } from '../verb-form.tsx'

const COLUMNS = ['check', 'state', 'sentence', 'fix'] as const
const ALARMS = ['name', 'state', 'since', 'sentence', 'toldAt'] as const

/** /admin/doctor: the last checks, a button to run them, and every alarm. */
export default function DoctorPage() {
  const { queryKey } = rowsQuery('machine doctor', {})
  const ofRun = { queryKey, exact: true }
  const [isWanted, setWanted] = useState(false)
  const isRunning = useIsFetching(ofRun) > 0
  const run = () => {
    setWanted(true)
    void room.invalidateQueries(ofRun)
  }
  return (
    <Page
      title="Doctor"
      aside={
        <Button variant="primary" busy={isRunning} onClick={run}>
          Run the checks
        </Button>
      }
    >
      {isWanted ? (
        <TablePart title="Checks" name="machine doctor" input={{}} isKept columns={COLUMNS} />
      ) : (
        <TablePart
          title="Last checks"
          name="machine doctor"
          input={{ last: true }}
          aside="Each api knows its own."
          empty="Nothing was checked here yet. The checks take up to half a minute and change nothing."
          columns={['at', ...COLUMNS]}
        />
      )}
      <TablePart title="Alarms" name="alarms list" input={{}} columns={ALARMS} />
      <VerbForm name="alarms test" />
      <Part title="Version" name="machine version" input={{}} empty="Unknown.">
        {([row]) => <Facts row={row!} />}
      </Part>
    </Page>
  )
}

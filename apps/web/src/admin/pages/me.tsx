import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../components/button.tsx'
import { ActionError } from '../../components/field.tsx'
import { Page, passFocus } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { callRoom, room } from '../call-room.ts'
import { sessionQuery } from '../room-data.ts'
import { Table } from '../table.tsx'

/** /admin/me: who one is here, and one's own sessions. */
export default function MePage() {
  const { data: session } = useQuery(sessionQuery)
  const { run, busy, failure } = useCall(async (id: string) => {
    await callRoom('session/end', { body: { id } })
    await room.invalidateQueries(sessionQuery)
  })
  if (!session) return null
  return (
    <Page title="Your sessions" aside={`${session.email}, ${session.role}`}>
      <Panel title="Open sessions">
        <ActionError>{failure?.error.message}</ActionError>
        <Table
          name="Open sessions"
          rows={session.sessions}
          columns={[{ name: 'openedAt' }, { name: 'seenAt' }, { name: 'address' }, { name: 'client' }]}
          action={({ id, isThis }) => (
            <Button size="sm" ref={passFocus} busy={busy?.[0] === id} onClick={() => run(id)}>
              {isThis ? 'End this one' : 'End'}
            </Button>
          )}
        />
      </Panel>
    </Page>
  )
}

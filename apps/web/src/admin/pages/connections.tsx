import { Page } from '../../components/page.tsx'
import { VerbButton } from '../verb-button.tsx'
import { VerbList } from '../verb-list.tsx'

/** /admin/connections: the open connections of all gateways that stand highest in an order. */
export default function ConnectionsPage() {
  return (
    <Page title="Connections">
      <VerbList
        name="connections list"
        given={{ limit: 200 }}
        title="Open connections"
        isLive
        empty="Nobody is connected now."
        opens={({ accountId }) => `/people/${accountId}`}
        columns={[
          { name: 'queuedBytes', sort: 'queued' },
          { name: 'sentEvents', sort: 'sent' },
          { name: 'faults', sort: 'faults' },
          { name: 'openedAt', sort: 'age' },
          'email',
          'address',
          'client',
          'subscriptions',
          'lastSeenAt',
        ]}
        action={({ id, address }) => (
          <VerbButton
            name="connections close"
            input={{ id }}
            label="Close"
            what={`the connection from ${address}`}
          />
        )}
      />
    </Page>
  )
}

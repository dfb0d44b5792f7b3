import { Page } from '../../components/page.tsx'
import { VerbForm } from '../verb-form.tsx'
import { VerbList } from '../verb-list.tsx'

/** /admin/people: everybody, to search, filter and sort. */
export default function PeoplePage() {
  return (
    <Page title="People">
      <VerbList
        name="account list"
        title="People"
        empty="Nobody matches. Remove a filter, or create an account below."
        opens={({ id }) => `/people/${id}`}
        columns={[
          { name: 'email', sort: 'email' },
          'state',
          'plan',
          {
            name: 'connections',
            cell: ({ connections, connectionLimit }) => `${connections} of ${connectionLimit}`,
          },
          { name: 'events30d', sort: 'events' },
          'capShare',
          { name: 'seenAt', sort: 'seen' },
          { name: 'faults24h', sort: 'faults' },
          { name: 'joinedAt', sort: 'joined' },
        ]}
      />
      <div className="room-forms">
        <VerbForm name="account invite" />
        <VerbForm name="account create" />
      </div>
    </Page>
  )
}

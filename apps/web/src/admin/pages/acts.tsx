import { Link } from 'react-router'
import { Page } from '../../components/page.tsx'
import { VerbList } from '../verb-list.tsx'

/** /admin/acts: what operators did. */
export default function ActsPage() {
  return (
    <Page title="Acts">
      <VerbList
        name="acts list"
        title="Acts"
        empty="Nothing was done since then. Remove the filter to see more."
        columns={[
          'at',
          'actor',
          'verb',
          {
            name: 'accountId',
            cell: ({ accountId }) =>
              accountId && <Link to={`/people/${accountId}`}>{accountId.slice(0, 8)}</Link>,
          },
          'reason',
          'changes',
          'outcome',
          'via',
          'address',
        ]}
      />
    </Page>
  )
}

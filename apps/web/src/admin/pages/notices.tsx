import { Page } from '../../components/page.tsx'
import { TablePart } from '../table-part.tsx'
import { VerbButton } from '../verb-button.tsx'
import { VerbForm } from '../verb-form.tsx'

/** /admin/notices: what the status banner says, and maintenance. */
export default function NoticesPage() {
  return (
    <Page title="Notices">
      <TablePart
        title="Notices and maintenance"
        name="status list"
        input={{}}
        empty="None. Add one below."
        columns={['kind', 'details', 'from', 'until', 'createdAt', 'clearedAt']}
        action={({ id, kind, clearedAt }) =>
          clearedAt === null && kind === 'notice' ? (
            <VerbButton name="status clear" input={{ id }} label="Clear" what={`notice ${id}`} />
          ) : null
        }
      />
      <div className="room-forms">
        <VerbForm name="status add" />
        <VerbForm name="maintenance on" />
        <VerbForm name="maintenance off" />
      </div>
    </Page>
  )
}

import { Page } from '../../components/page.tsx'
import { Facts, upOrAway } from '../facts.tsx'
import { Part } from '../part.tsx'
import { VerbButton } from '../verb-button.tsx'
import { VerbForm } from '../verb-form.tsx'
import { VerbList } from '../verb-list.tsx'

/** /admin/stream: all that is known of source, stream, archive, processes and queues, and mails. */
export default function StreamPage() {
  return (
    <Page title="Stream">
      <Part title="Now" name="stream show" input={{}} isLive empty="The service says nothing.">
        {([row]) => <Facts row={row!} drawn={{ parts: upOrAway }} />}
      </Part>
      <VerbList
        name="mail list"
        title="Mails"
        empty="No such mail in 90 days."
        columns={['createdAt', 'template', 'to', 'state', 'attempts', 'sentAt']}
        action={({ id, to, state }) =>
          state === 'sent' ? null : (
            <VerbButton name="mail retry" input={{ id }} label="Try again" what={`the mail to ${to}`} />
          )
        }
      />
      <VerbForm name="mail test" />
    </Page>
  )
}

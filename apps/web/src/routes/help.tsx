import { useConfig } from '../api/config-store.ts'
import { useCall } from '../api/use-call.ts'
import { announce } from '../components/announce.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { ActionError } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { lazyPart } from '../components/lazy-part.tsx'
import { Page } from '../components/page.tsx'
import { Panel } from '../components/panel.tsx'
import { type Community, CommunityIcon } from '../features/help/community-icon.tsx'
import { KeyboardList } from '../features/help/keyboard-list.tsx'
import { StatusStrip } from '../features/help/status-strip.tsx'
import { useSession } from '../session/session.ts'
import { MODIFIER_KEY, openPalette } from '../shell/palette-opener.tsx'
import { openChat } from '../third-parties/chat.ts'
import './help.css'

/** The account's code is large for one line: it is loaded later, and without it the line stays empty. */
const signedInAs = lazyPart(() =>
  import('../features/help/signed-in-as.tsx').catch(() => ({ default: () => null })),
)

/** /dashboard/help: where to ask, the state of the service, and the keyboard shortcuts. */
export default function HelpRoute() {
  const { supportEmail, links, statusUrl } = useConfig()
  const [mailbox, host] = supportEmail.split('@')
  const session = useSession()
  const communities: readonly { name: Community; href: string; about: string }[] = [
    { name: 'Discord', href: links.discord, about: 'Ask and answer' },
    { name: 'Github', href: links.github, about: 'Client examples' },
    { name: 'X', href: links.x, about: 'Release notes' },
    { name: 'Reddit', href: links.reddit, about: 'Long questions' },
  ]
  return (
    <Page title="Help">
      <div className="help-talk">
        <Panel className="help-panel" aria-label="Live chat">
          <div className="help-bubbles" aria-hidden="true">
            <p className="help-bubble help-bubble-asks">My connection dropped. Did I miss events?</p>
            <p className="help-bubble">
              Send the last cursor as <code className="mono">resume_from</code>, and you get them all.
            </p>
          </div>
          <Livechat />
        </Panel>
        <Panel className="help-panel" aria-labelledby="email">
          <h2 id="email">Email support</h2>
          <p className="second">Include the signature or the request, so we can answer at once.</p>
          <div className="help-mail">
            <LinkButton size="lg" icon="mail" href={`mailto:${supportEmail}`}>
              {mailbox}@<wbr />
              {host}
            </LinkButton>
            <CopyButton size="lg" label="" text={supportEmail} what="address" />
          </div>
          {session ? (
            <p className="help-account second small">
              <signedInAs.Part />
            </p>
          ) : null}
        </Panel>
      </div>
      <Panel className="help-communities" aria-label="Communities">
        {communities.map(({ name, href, about }) => (
          <div key={name}>
            {/* Named for where it leads, and as large as the text around it. */}
            <a href={href} target="_blank" rel="noopener">
              <CommunityIcon name={name} />
              {name}
              <Icon name="external" size={15} />
            </a>
            <span className="second small">{about}</span>
          </div>
        ))}
      </Panel>
      <StatusStrip statusUrl={statusUrl} />
      <KeyboardList modifier={MODIFIER_KEY} onPalette={openPalette} />
    </Page>
  )
}

/** Opens the chat, whose script is fetched at the press; without chat, an email to support. */
function Livechat() {
  const { supportEmail, thirdParties } = useConfig()
  const { run, busy, failure } = useCall(async () => {
    const websiteId = thirdParties?.crispWebsiteId
    if (websiteId === undefined) return window.location.assign(`mailto:${supportEmail}`)
    await openChat(websiteId)
    announce('The chat is open.', 'status')
  })

  return (
    <div className="help-chat aligned">
      <Button size="lg" variant="primary" icon="chat" busy={busy !== undefined} onClick={() => run()}>
        Livechat
      </Button>
      <span className="second small">Included in every plan.</span>
      <ActionError>{failure && 'The chat did not load. Email support instead.'}</ActionError>
    </div>
  )
}

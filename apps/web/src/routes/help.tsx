import { useConfig } from '../api/config-store.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Panel } from '../components/panel.tsx'
import './help.css'

/** /dashboard/help: where to ask. */
export default function HelpRoute() {
  const { supportEmail, links } = useConfig()
  const mail = `mailto:${supportEmail}`
  const communities = [
    { name: 'Discord', href: links.discord, about: 'Ask and answer' },
    { name: 'Github', href: links.github, about: 'Client examples' },
    { name: 'X', href: links.x, about: 'Release notes' },
    { name: 'Reddit', href: links.reddit, about: 'Long questions' },
  ]
  return (
    <Page title="Help">
      <div className="help-talk">
        <Panel className="help-panel" aria-labelledby="talk">
          <h2 id="talk">Talk to us</h2>
          <p className="second">Included in every plan. Without a chat at hand it opens a mail to support.</p>
          <div>
            <Button size="lg" variant="primary" icon="chat" onClick={() => window.location.assign(mail)}>
              Livechat
            </Button>
          </div>
        </Panel>
        <Panel className="help-panel" aria-labelledby="email">
          <h2 id="email">Email support</h2>
          <p className="second">Send the signature or the request you used. It saves a round trip.</p>
          <div className="help-mail">
            <LinkButton size="lg" icon="mail" href={mail}>
              {supportEmail}
            </LinkButton>
            <CopyButton size="lg" square text={supportEmail} what="address" />
          </div>
        </Panel>
      </div>
      <Panel className="help-communities" aria-label="Communities">
        {communities.map(({ name, href, about }) => (
          <a key={name} href={href} target="_blank" rel="noopener">
            <b>
              {name} <Icon name="external" size={15} />
            </b>
            <span className="second small">{about}</span>
          </a>
        ))}
      </Panel>
    </Page>
  )
}

import { MailLayout, Paragraph, SERVICE } from './mail-layout.tsx'

/** An endpoint has taken nothing since a moment, or was stopped. */
export function WebhookMail({
  subject,
  isStopped,
  url,
  since,
  link,
}: Readonly<{ subject: string; isStopped: boolean; url: string; since: string; link: string }>) {
  return (
    <MailLayout
      subject={subject}
      preview={isStopped ? 'Nothing is sent until you resume it.' : 'Its events wait.'}
      title={isStopped ? 'A webhook was stopped' : 'A webhook is failing'}
      button="Open your account"
      link={link}
      foot={`You get this email because you have a webhook at ${SERVICE}.`}
    >
      <Paragraph>
        {url} has taken no message since {since}.{' '}
        {isStopped
          ? 'Nothing is sent to it until you resume it on your account page. It then goes on from its place, as far as the events are kept.'
          : 'Its events wait, and the service keeps trying, once an hour. After 24 hours it stops.'}
      </Paragraph>
      <Paragraph>Your account page shows the last answer.</Paragraph>
    </MailLayout>
  )
}

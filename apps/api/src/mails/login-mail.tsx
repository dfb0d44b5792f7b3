import { TRIAL } from '@pairwire/contract'
import { MailLayout, Paragraph, SERVICE } from './mail-layout.tsx'

/** The mail that signs a person in. */
export function LoginMail({ subject, link }: { subject: string; link: string }) {
  return (
    <MailLayout
      subject={subject}
      preview="Works once, for 15 minutes."
      title={`Sign in to ${SERVICE}`}
      button="Sign in"
      link={link}
      showsAddress
      foot="If you did not ask for this, ignore this email. Nobody can sign in without the link."
    >
      <Paragraph>This link works once, for 15 minutes from the moment you asked for it.</Paragraph>
    </MailLayout>
  )
}

/** The first mail of an account, which also signs its person in. */
export function WelcomeMail({ subject, link }: { subject: string; link: string }) {
  return (
    <MailLayout
      subject={subject}
      preview="Your account is ready. Sign in to get your API key."
      title={`Welcome to ${SERVICE}`}
      button="Sign in"
      link={link}
      showsAddress
      foot="If you did not register, ignore this email. Nobody can sign in without the link."
    >
      <Paragraph>
        Your account is ready. Sign in to get your API key,
        {TRIAL.days > 0 ? ` start a free trial of ${TRIAL.days} days,` : ''} and watch new pairs and swaps
        arrive in the Test Console.
      </Paragraph>
      <Paragraph>This link works once, for 15 minutes from the moment you registered.</Paragraph>
    </MailLayout>
  )
}

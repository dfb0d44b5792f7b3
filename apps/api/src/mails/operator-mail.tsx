import type { AlarmLetter, OperatorLetter } from '@pairwire/accounts'
import { ALARM_WORDS } from '../alarms/post-alarm.ts'
import { MailLayout, Paragraph } from './mail-layout.tsx'

/** What each mail to an operator says. */
const TEXTS: Readonly<
  Record<OperatorLetter['template'], { subject: string; button: string; text: string; foot: string }>
> = {
  operator_link: {
    subject: 'Sign in to the operator’s room',
    button: 'Sign in',
    text: 'This link works once, for 10 minutes, in the browser in which you asked for it, and together with a code from your app.',
    foot: 'If you did not ask for this, ignore this email. Nobody can sign in without your code.',
  },
  operator_closed: {
    subject: 'Your operator’s sign-in is closed for an hour',
    button: 'Open the room',
    text: 'Too many wrong codes were entered. If that was not you, somebody reads your mail or uses your browser: make a new secret on the machine with the verb operator code.',
    foot: 'You get this email because you are an operator.',
  },
  operator_signed_in: {
    subject: 'You signed in from a new address',
    button: 'Open the room',
    text: 'Somebody signed in with your link and code from an address that was not seen for 30 days. If that was not you, make a new secret on the machine with the verb operator code: it ends all of your sessions.',
    foot: 'You get this email because you are an operator.',
  },
}

/** The subject and the page of a mail about an alarm. */
export function writeAlarmMail({ state, sentence, link }: AlarmLetter) {
  const subject = `${ALARM_WORDS[state]}: ${sentence}`
  const page = (
    <MailLayout
      subject={subject}
      preview={sentence}
      title={ALARM_WORDS[state]}
      button="Open the room"
      link={link}
      showsAddress
      foot="You get this email because you are an operator."
    >
      <Paragraph>{sentence}</Paragraph>
    </MailLayout>
  )
  return { subject, link, page }
}

/** The subject and the page of a mail to an operator. */
export function writeOperatorMail({ template, link, address }: OperatorLetter) {
  const { subject, button, text, foot } = TEXTS[template]
  const page = (
    <MailLayout
      subject={subject}
      preview={`From the address ${address}.`}
      title={subject}
      button={button}
      link={link}
      showsAddress
      foot={foot}
    >
      <Paragraph>{text}</Paragraph>
      <Paragraph>The request came from the address {address}.</Paragraph>
    </MailLayout>
  )
  return { subject, link, page }
}

import type { AlarmLetter, OperatorLetter } from '@pairwire/accounts'
import type { ComponentProps } from 'react'
import { ALARM_WORDS } from '../alarms/post-alarm.ts'
import { MailLayout, Paragraph } from './mail-layout.tsx'

const OPEN = 'Open the room'
const WHY = 'You get this email because you are an operator.'

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
    button: OPEN,
    text: 'Too many wrong codes were entered. If that was not you, somebody reads your mail or uses your browser: make a new secret on the machine with the verb operator code.',
    foot: WHY,
  },
  operator_signed_in: {
    subject: 'You signed in from a new address',
    button: OPEN,
    text: 'Somebody signed in with your link and code from an address that was not seen for 30 days. If that was not you, make a new secret on the machine with the verb operator code: it ends all of your sessions.',
    foot: WHY,
  },
}

/** The subject and the page of a mail about an alarm. */
export function writeAlarmMail({ state, sentence, link }: AlarmLetter) {
  const title = ALARM_WORDS[state]
  const subject = `${title}: ${sentence}`
  return draw({ subject, title, link, preview: sentence, button: OPEN, foot: WHY }, [sentence])
}

/** The subject and the page of a mail to an operator. */
export function writeOperatorMail({ template, link, address }: OperatorLetter) {
  const { text, ...words } = TEXTS[template]
  const [title, preview] = [words.subject, `From the address ${address}.`]
  return draw({ ...words, title, link, preview }, [text, `The request came from the address ${address}.`])
}

function draw(mail: Omit<ComponentProps<typeof MailLayout>, 'children'>, texts: readonly string[]) {
  const paragraphs = texts.map((text) => <Paragraph key={text}>{text}</Paragraph>)
  const page = (
    <MailLayout {...mail} showsAddress>
      {paragraphs}
    </MailLayout>
  )
  return { subject: mail.subject, link: mail.link, page }
}

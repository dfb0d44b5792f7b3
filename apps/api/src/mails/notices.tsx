import { MailLayout, Paragraph, SERVICE } from './mail-layout.tsx'

/** Values of a notice about a plan. */
export type Notice = Readonly<{
  subject: string
  planName: string
  /** The day and time in question, in words. */
  end: string
  link: string
}>

/** One day before a trial ends. */
export function TrialEndingMail({ subject, planName, end, link }: Notice) {
  return (
    <MailLayout
      subject={subject}
      preview={`It ends on ${end}.`}
      title="Your free trial ends soon"
      button="Choose a plan"
      link={link}
      foot={`You get this email once, because you have a free trial of ${SERVICE}.`}
    >
      <Paragraph>
        Your free trial of {planName} ends on {end}. After that, open streams close and your key cannot open
        new ones.
      </Paragraph>
      <Paragraph>
        Nothing is charged when a trial ends. Choose a plan to continue; your key stays the same.
      </Paragraph>
    </MailLayout>
  )
}

/** A payment was due and failed. */
export function PaymentFailedMail({ subject, planName, end, link }: Notice) {
  return (
    <MailLayout
      subject={subject}
      preview={`You keep ${planName} until ${end}.`}
      title="Your payment failed"
      button="Open your account"
      link={link}
      foot={`You get this email because you have a paid ${SERVICE} plan.`}
    >
      <Paragraph>
        The payment for your {planName} plan failed. You keep the plan until {end}. If no payment arrives by
        then, your streams stop.
      </Paragraph>
      <Paragraph>
        To pay with another card, open your account and choose Manage Plan. If the next attempt succeeds, you
        don't need to do anything.
      </Paragraph>
    </MailLayout>
  )
}

/** A plan was cancelled and runs until its last day. */
export function CancelledMail({ subject, planName, end, link }: Notice) {
  return (
    <MailLayout
      subject={subject}
      preview={`You keep it until ${end}.`}
      title="Your plan is cancelled"
      button="Open your account"
      link={link}
      foot={`You get this email because your paid ${SERVICE} plan was cancelled.`}
    >
      <Paragraph>
        Your {planName} plan is cancelled and will not renew. You keep it until {end}. Then your streams stop.
      </Paragraph>
      <Paragraph>Your account and your key stay. You can choose a plan again at any time.</Paragraph>
    </MailLayout>
  )
}

/** A plan ended before anybody cancelled it: unpaid for too long, or refunded. */
export function EndedMail({ subject, planName, end, link }: Notice) {
  return (
    <MailLayout
      subject={subject}
      preview={`It ended on ${end}.`}
      title="Your plan has ended"
      button="Choose a plan"
      link={link}
      foot={`You get this email because a paid ${SERVICE} plan ended.`}
    >
      <Paragraph>
        Your {planName} plan ended on {end}. Your streams have stopped, and nothing more is charged for it.
      </Paragraph>
      <Paragraph>Your account and your key stay. You can choose a plan again at any time.</Paragraph>
    </MailLayout>
  )
}

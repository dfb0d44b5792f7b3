import { ORDER_DAYS } from '@pairwire/contract'
import { MailLayout, Paragraph, SERVICE } from './mail-layout.tsx'

/** Values of a mail about an order of history. */
type OrderNotice = Readonly<{
  subject: string
  orderId: number
  /** From when to when, in words. */
  window: string
  /** Missing hours. */
  missing: number
  link: string
}>

/** All hours of an order can be downloaded. */
export function HistoryReadyMail({ subject, orderId, window, link }: OrderNotice) {
  return (
    <MailLayout
      subject={subject}
      preview={`All hours of order ${orderId} are there.`}
      title="Your history is ready"
      button="Open your orders"
      link={link}
      foot={`You get this email because you ordered history from ${SERVICE}.`}
    >
      <Paragraph>
        All hours of order {orderId}, {window}, are ready. You can download them as often as you like for{' '}
        {ORDER_DAYS} days from your payment.
      </Paragraph>
      <Paragraph>The orders page lists the files and has commands to copy.</Paragraph>
    </MailLayout>
  )
}

/** Hours of an order never appeared, or are gone. */
export function HistoryFailedMail({ subject, orderId, window, missing, link }: OrderNotice) {
  return (
    <MailLayout
      subject={subject}
      preview={`Order ${orderId} lacks ${missing === 1 ? '1 hour' : `${missing} hours`}.`}
      title="Your order is incomplete"
      button="Open your orders"
      link={link}
      foot={`You get this email once, because you ordered history from ${SERVICE}.`}
    >
      <Paragraph>
        {missing === 1 ? '1 hour' : `${missing} hours`} of order {orderId}, {window},{' '}
        {missing === 1 ? 'is' : 'are'} missing. You can download the other hours, and the order becomes
        complete if we can restore the rest.
      </Paragraph>
      <Paragraph>To get your money back, answer this email or write to support.</Paragraph>
    </MailLayout>
  )
}

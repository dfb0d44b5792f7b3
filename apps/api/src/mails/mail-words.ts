import type {
  AlarmLetter,
  Letter,
  NoticeLetter,
  OperatorLetter,
  OrderLetter,
  WebhookLetter,
} from '@pairwire/accounts'
import { ORDER_DAYS, planById, TRIAL } from '@pairwire/contract'
import { ALARM_WORDS } from '../alarms/post-alarm.ts'
import { minuteText } from '../day-text.ts'
import { type MailWords, SERVICE } from './mail-layout.tsx'

/** What the mail of a letter says, and where its button leads: below the address of the `dashboard`, or to the room. */
export function wordsOf(letter: Letter, dashboard: string): MailWords {
  if ('token' in letter) {
    const words = letter.template === 'welcome' ? welcomeWords() : LOGIN_WORDS
    const link = `${dashboard}/login?t=${encodeURIComponent(letter.token)}`
    return { ...words, button: 'Sign in', link, showsAddress: true }
  }
  if ('sentence' in letter) return alarmWords(letter)
  if ('address' in letter) return operatorWords(letter)
  if ('orderId' in letter) return orderWords(letter, dashboard)
  if ('url' in letter) return webhookWords(letter, dashboard)
  const plan = planById(letter.planId)?.name ?? SERVICE
  const { path, ...words } = PLAN_WORDS[letter.template](plan, minuteText(letter.endsAt))
  return { ...words, link: `${dashboard}/${path}` }
}

/** The mail that signs a person in. */
const LOGIN_WORDS = {
  subject: `Your ${SERVICE} login link`,
  preview: 'Works once, for 15 minutes.',
  title: `Sign in to ${SERVICE}`,
  paragraphs: ['This link works once, for 15 minutes from the moment you asked for it.'],
  foot: 'If you did not ask for this, ignore this email. Nobody can sign in without the link.',
}

/** The first mail of an account, which also signs its person in. */
function welcomeWords() {
  const trial = TRIAL.days > 0 ? ` start a free trial of ${TRIAL.days} days,` : ''
  return {
    subject: `Welcome to ${SERVICE}: your login link`,
    preview: 'Your account is ready. Sign in to get your API key.',
    title: `Welcome to ${SERVICE}`,
    paragraphs: [
      `Your account is ready. Sign in to get your API key,${trial} and watch new pairs and swaps arrive in the Test Console.`,
      'This link works once, for 15 minutes from the moment you registered.',
    ],
    foot: 'If you did not register, ignore this email. Nobody can sign in without the link.',
  }
}

const STAYS = 'Your account and your key stay. You can choose a plan again at any time.'

/** The notices about a plan: what happened or will, and the day and time in question. */
const PLAN_WORDS: Readonly<
  Record<
    NoticeLetter['template'],
    (plan: string, end: string) => Omit<MailWords, 'link'> & { path: 'upgrade' | 'account' }
  >
> = {
  trial_ending: (plan, end) => ({
    subject: `Your ${SERVICE} trial ends soon`,
    preview: `It ends on ${end}.`,
    title: 'Your free trial ends soon',
    paragraphs: [
      `Your free trial of ${plan} ends on ${end}. After that, open streams close and your key cannot open new ones.`,
      'Nothing is charged when a trial ends. Choose a plan to continue; your key stays the same.',
    ],
    ...{ button: 'Choose a plan', path: 'upgrade' },
    foot: `You get this email once, because you have a free trial of ${SERVICE}.`,
  }),
  payment_failed: (plan, end) => ({
    subject: `Your payment for ${SERVICE} failed`,
    preview: `You keep ${plan} until ${end}.`,
    title: 'Your payment failed',
    paragraphs: [
      `The payment for your ${plan} plan failed. You keep the plan until ${end}. If no payment arrives by then, your streams stop.`,
      "To pay with another card, open your account and choose Manage Plan. If the next attempt succeeds, you don't need to do anything.",
    ],
    ...{ button: 'Open your account', path: 'account' },
    foot: `You get this email because you have a paid ${SERVICE} plan.`,
  }),
  cancelled: (plan, end) => ({
    subject: `Your ${SERVICE} plan is cancelled`,
    preview: `You keep it until ${end}.`,
    title: 'Your plan is cancelled',
    paragraphs: [
      `Your ${plan} plan is cancelled and will not renew. You keep it until ${end}. Then your streams stop.`,
      STAYS,
    ],
    ...{ button: 'Open your account', path: 'account' },
    foot: `You get this email because your paid ${SERVICE} plan was cancelled.`,
  }),
  // Before anybody cancelled it: unpaid for too long, or refunded.
  ended: (plan, end) => ({
    subject: `Your ${SERVICE} plan has ended`,
    preview: `It ended on ${end}.`,
    title: 'Your plan has ended',
    paragraphs: [
      `Your ${plan} plan ended on ${end}. Your streams have stopped, and nothing more is charged for it.`,
      STAYS,
    ],
    ...{ button: 'Choose a plan', path: 'upgrade' },
    foot: `You get this email because a paid ${SERVICE} plan ended.`,
  }),
}

/** All hours of an order can be downloaded; or some never appeared, or are gone. */
function orderWords({ template, orderId, from, to, missing }: OrderLetter, dashboard: string): MailWords {
  const order = `order ${orderId}, ${minuteText(from)} to ${minuteText(to)},`
  const hours = missing === 1 ? '1 hour' : `${missing} hours`
  const way = { button: 'Open your orders', link: `${dashboard}/historical/orders` }
  if (template === 'history_ready') {
    return {
      ...way,
      subject: 'Your history is ready',
      preview: `All hours of order ${orderId} are there.`,
      title: 'Your history is ready',
      paragraphs: [
        `All hours of ${order} are ready. You can download them as often as you like for ${ORDER_DAYS} days from your payment.`,
        'The orders page lists the files and has commands to copy.',
      ],
      foot: `You get this email because you ordered history from ${SERVICE}.`,
    }
  }
  return {
    ...way,
    subject: `Your ${SERVICE} order is incomplete`,
    preview: `Order ${orderId} lacks ${hours}.`,
    title: 'Your order is incomplete',
    paragraphs: [
      `${hours} of ${order} ${missing === 1 ? 'is' : 'are'} missing. You can download the other hours, and the order becomes complete if we can restore the rest.`,
      'To get your money back, answer this email or write to support.',
    ],
    foot: `You get this email once, because you ordered history from ${SERVICE}.`,
  }
}

/** An endpoint has taken nothing since a moment, or was stopped. */
function webhookWords({ template, url, since }: WebhookLetter, dashboard: string): MailWords {
  const isStopped = template === 'webhook_stopped'
  const next = isStopped
    ? 'Nothing is sent to it until you resume it on your account page. It then goes on from its place, as far as the events are kept.'
    : 'Its events wait, and the service keeps trying, once an hour. After 24 hours it stops.'
  return {
    subject: `A ${SERVICE} webhook ${isStopped ? 'was stopped' : 'is failing'}`,
    preview: isStopped ? 'Nothing is sent until you resume it.' : 'Its events wait.',
    title: `A webhook ${isStopped ? 'was stopped' : 'is failing'}`,
    paragraphs: [
      `${url} has taken no message since ${minuteText(new Date(since))}. ${next}`,
      'Your account page shows the last answer.',
    ],
    ...{ button: 'Open your account', link: `${dashboard}/account` },
    foot: `You get this email because you have a webhook at ${SERVICE}.`,
  }
}

const TO_ROOM = {
  button: 'Open the room',
  foot: 'You get this email because you are an operator.',
  showsAddress: true,
}

function alarmWords({ state, sentence, link }: AlarmLetter): MailWords {
  const title = ALARM_WORDS[state]
  return {
    ...TO_ROOM,
    subject: `${title}: ${sentence}`,
    preview: sentence,
    title,
    paragraphs: [sentence],
    link,
  }
}

/** What each mail to an operator says of a sign-in. */
const OPERATOR_WORDS: Readonly<
  Record<
    OperatorLetter['template'],
    Pick<MailWords, 'title'> & Partial<Pick<MailWords, 'button' | 'foot'>> & { text: string }
  >
> = {
  operator_link: {
    title: 'Sign in to the operator’s room',
    button: 'Sign in',
    text: 'This link works once, for 10 minutes, in the browser in which you asked for it, and together with a code from your app.',
    foot: 'If you did not ask for this, ignore this email. Nobody can sign in without your code.',
  },
  operator_closed: {
    title: 'Your operator’s sign-in is closed for an hour',
    text: 'Too many wrong codes were entered. If that was not you, somebody reads your mail or uses your browser: make a new secret on the machine with the verb operator code.',
  },
  operator_signed_in: {
    title: 'You signed in from a new address',
    text: 'Somebody signed in with your link and code from an address that was not seen for 30 days. If that was not you, make a new secret on the machine with the verb operator code: it ends all of your sessions.',
  },
}

function operatorWords({ template, link, address }: OperatorLetter): MailWords {
  const { text, ...words } = OPERATOR_WORDS[template]
  const from = `the address ${address}.`
  const paragraphs = [text, `The request came from ${from}`]
  return { ...TO_ROOM, ...words, subject: words.title, preview: `From ${from}`, paragraphs, link }
}

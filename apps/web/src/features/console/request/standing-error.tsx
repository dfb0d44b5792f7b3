import { planByName } from '@pairwire/contract/plans'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { passFocus } from '../../../components/page.tsx'
import { useStore } from '../../../components/store.ts'
import { useConsole } from '../console-context.ts'
import { feed, useFeed } from '../feed/feed.ts'
import { docsPage, helpPage } from '../feed/refusal.ts'
import { errorWords } from '../words.ts'
import { editRequest } from './edit-request.ts'
import { requestFix } from './request-fix.ts'
import { requestText } from './request-text.ts'

type StandingErrorProps = {
  /** Leads a person without a plan to one: it reports that the plan is missing. */
  lead: ReactNode
}

/**
 * The last error in full, until it is dismissed: with the page that explains it, the page that helps, and a change of
 * the request if that can be computed. The page's own region for alerts reads it out.
 */
export default function StandingErrorNotice({ lead }: StandingErrorProps) {
  const { planName } = useConsole()
  const error = useFeed('error')
  const text = useStore(requestText)
  const subscriptions = useFeed('subscriptions')
  const isOpen = useFeed('connection') === 'streaming'
  if (!error || (lead && error.errorType === 'noPlan')) return lead
  const help = helpPage(error.errorType)
  const docs = docsPage(error)
  const plan = planName === undefined ? undefined : planByName(planName)
  const fix = requestFix(text, error, { plan, subscriptions })
  const code = error.detail.startsWith('code ') ? error.detail : ''
  const words = errorWords({ ...error, detail: code ? '' : error.detail })
  const [json = ''] = /\{.*\}/s.exec(words) ?? []
  const [before, after] = json === '' ? [words] : words.split(json)
  const mend = (mended: string) => {
    editRequest(mended)
    if (isOpen) feed.send(mended)
  }
  return (
    <>
      <Notice tone="danger">
        <p className="standing-error">
          {before}
          {json ? <code>{json}</code> : null}
          {after}
          {code ? <span className="error-code mono">{code}</span> : null}
        </p>
        {fix ? (
          <Button size="sm" onClick={() => mend(fix.text)}>
            {isOpen ? 'Fix and send' : 'Fix'}: {fix.label}
          </Button>
        ) : null}
        {help ? (
          <Link className="strong-link" to={help.path}>
            {help.label}
          </Link>
        ) : null}
        {docs ? (
          <a className="strong-link" href={docs} target="_blank" rel="noopener noreferrer">
            What this means
          </a>
        ) : null}
        <button type="button" className="text-button" ref={passFocus} onClick={() => feed.dismiss()}>
          Dismiss
        </button>
      </Notice>
      {lead}
    </>
  )
}

import type { Webhook, WebhookBody } from '@pairwire/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { Account } from '../../api/account.ts'
import type { ApiError } from '../../api/api-error.ts'
import { useConfig } from '../../api/config-store.ts'
import { serverData } from '../../api/server-data.ts'
import { READ_EVERY_MS, webhookApi } from '../../api/webhook-api.ts'
import { announce } from '../../components/announce.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorPanel } from '../../components/error-panel.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { createStore, useStore } from '../../components/store.ts'
import { formatCount } from '../../locale/locale.ts'
import { serverClock } from '../../session/server-clock.ts'
import { currentSession } from '../../session/session.ts'
import { exampleFor } from '../console/request/examples.ts'
import { drafts, newDraft, writeDraft } from './draft.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointRow } from './endpoint-row.tsx'
import { LINE, WIDE } from './layout.ts'

const listOf = (token: string | undefined) =>
  queryOptions({
    queryKey: ['webhooks', token],
    queryFn: webhookApi.list,
    staleTime: READ_EVERY_MS,
    // One that was never read is read again on a press: the panel would come and go with each try.
    retryOnMount: false,
    refetchOnWindowFocus: wasRead,
    refetchInterval: (query) => wasRead(query) && READ_EVERY_MS,
  })

const wasRead = ({ state }: { state: { data: unknown } }) => state.data !== undefined

/** Reads the list first, so that the panel is whole when it is first drawn. Never fails: the panel shows the error. */
export async function loadWhole() {
  await serverData.prefetchQuery(listOf(currentSession()?.token))
  return { default: WebhooksPanel }
}

/** The account's endpoints. `?webhook=` in the address leads here, with a request for a new one. */
function WebhooksPanel({ account: { user, activeSubscription, suspension } }: { account: Account }) {
  const planName = activeSubscription?.planName
  const { supportEmail } = useConfig()
  const suspended = suspension && `This account is suspended. Write to ${supportEmail}.`
  const list = useQuery(listOf(currentSession()?.token), serverData)
  const open = useStore(drafts)
  const shown = useStore(secrets)[user.ID]
  const setShown = (secret?: Shown) => secrets.write({ [user.ID]: secret })
  const panel = useRef<HTMLElement>(null)
  const isRead = !list.isPending
  useAsked(user.ID, panel, isRead)

  const reload = () => list.refetch()
  const create = async (body: WebhookBody) => {
    setShown(await webhookApi.create(body))
    await reload()
  }
  const change = async (id: string, { kind, ...body }: WebhookBody) => {
    await webhookApi.change(id, { ...body, params: body.params ?? {} })
    announce('Endpoint saved.', 'status')
    await reload()
  }
  const formOf = (id: string, save: (body: WebhookBody) => Promise<unknown>, kind?: Webhook['kind']) => {
    const draft = open[id]
    return draft ? <EndpointForm {...{ id, kind, draft, planName, save }} /> : undefined
  }
  const onDone = () => {
    setShown(undefined)
    panel.current?.focus()
  }
  if (list.isError && !list.data) {
    if ((list.error as ApiError).errorType === 'ERR_NOT_FOUND') return null
    return (
      <ErrorPanel
        title="Your webhooks did not load."
        detail={list.error.message}
        action="Try again"
        busy={list.isFetching}
        onAction={() => reload().then(() => panel.current?.focus())}
      />
    )
  }
  const { webhooks = [], limit = 0 } = list.data ?? {}
  return (
    <Panel
      ref={panel}
      tabIndex={-1}
      className="connections"
      title="Webhooks"
      icon="send"
      aria-label="Webhooks"
      aria-busy={list.isPending}
      aside={isRead && !suspended ? `${webhooks.length} of ${formatCount(limit, 'endpoint')}` : undefined}
    >
      <div className="connections-body">
        {shown ? <Secret key={shown.secret} {...shown} onDone={onDone} /> : null}
        {isRead ? null : <Skeleton width="100%" height={46} />}
        {isRead && webhooks.length === 0 ? (
          <p className="second">
            Posts events to an address of yours, in order, and each again until it is taken. No library, no
            connection.
          </p>
        ) : null}
        <ul className="connections-list">
          {webhooks.map((endpoint, index) => (
            <EndpointRow
              key={endpoint.id}
              endpoint={endpoint}
              now={Date.now() + serverClock.offset()}
              waits={!suspended && index >= limit}
              form={formOf(endpoint.id, (body) => change(endpoint.id, body), endpoint.kind)}
              reload={reload}
              onSecret={(secret) => setShown({ url: endpoint.url, secret })}
            />
          ))}
        </ul>
        <div>
          {formOf(user.ID, create) ?? (
            <div style={LINE}>
              {isRead && webhooks.length < limit ? (
                <Button onClick={() => writeDraft(user.ID, newDraft(exampleFor(planName).text))}>
                  New endpoint
                </Button>
              ) : null}
              {suspended ? <p className="second">{suspended}</p> : null}
              {isRead && !suspended && webhooks.length >= limit ? (
                <LinkButton to="/dashboard/upgrade">
                  {limit === 0 ? 'Choose a plan' : 'Upgrade for more'}
                </LinkButton>
              ) : null}
              <LinkButton icon="book" href="/docs/webhooks">
                Webhook docs
              </LinkButton>
            </div>
          )}
        </div>
      </div>
    </Panel>
  )
}

/** A new secret, and the endpoint's address. */
type Shown = Readonly<{ url: string; secret: string }>
/** By its account: it outlives the page, in memory alone, and the browser asks before it is lost. */
const secrets = createStore<Readonly<Record<string, Shown | undefined>>>({})
secrets.subscribe(() => {
  const isShown = Object.values(secrets.read()).some(Boolean)
  window[isShown ? 'addEventListener' : 'removeEventListener']('beforeunload', askToStay)
})

/** Not once the session is over: signing out forgets everything. */
function askToStay(event: Event): void {
  if (currentSession()) event.preventDefault()
}

/** The secret of an endpoint, until it is dismissed: no call shows it again. */
function Secret({ url, secret, onDone }: Shown & { onDone: () => void }) {
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <section ref={box} tabIndex={-1} aria-label={`Secret of ${url}`}>
      <Notice tone="success">
        <span style={WIDE}>
          {`Copy the secret of ${url} now. It signs every message and is not shown again.`}
        </span>
        <span className="mono" style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </span>
        <CopyButton text={secret} what="secret" />
        <Button size="sm" onClick={onDone}>
          Done
        </Button>
      </Notice>
    </section>
  )
}

/** Comes into view when the address asks for it, and opens the form for the request that it brings. */
function useAsked(userId: string, panel: RefObject<HTMLElement | null>, isRead: boolean) {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('webhook')
  useEffect(() => {
    if (asked === null || !isRead) return
    if (asked !== '') writeDraft(userId, { ...(drafts.read()[userId] ?? newDraft(asked)), text: asked })
    panel.current?.scrollIntoView({ block: 'start' })
    panel.current?.focus({ preventScroll: true })
    search.delete('webhook')
    setSearch(search, { replace: true })
  }, [userId, asked, isRead, panel, search, setSearch])
}

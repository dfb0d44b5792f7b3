import type { WebhookBody } from '@pairwire/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { ApiError } from '../../api/api-error.ts'
import { serverClock } from '../../api/server-clock.ts'
import { serverData } from '../../api/server-data.ts'
import { webhookApi } from '../../api/webhook-api.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorPanel } from '../../components/error-panel.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useStore } from '../../components/store.ts'
import { currentSession } from '../../session/session.ts'
import { exampleFor } from '../console/request/examples.ts'
import { drafts, newDraft, writeDraft } from './draft.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointRow } from './endpoint-row.tsx'
import { LINE } from './layout.ts'

/** Milliseconds between two reads while the page is in view. */
const READ_EVERY_MS = 5_000

const listOf = (token: string | undefined) =>
  queryOptions({
    queryKey: ['webhooks', token],
    queryFn: webhookApi.list,
    staleTime: READ_EVERY_MS,
    refetchInterval: READ_EVERY_MS,
  })

/** Reads the list first, so that the panel is whole when it is first drawn. Never fails: the panel shows the error. */
export async function loadWhole() {
  await serverData.prefetchQuery(listOf(currentSession()?.token))
  return { default: WebhooksPanel }
}

/** The account's endpoints. `?webhook=` in the address leads here, with a request for a new one. */
function WebhooksPanel({ planName }: { planName: string | undefined }) {
  const list = useQuery(listOf(currentSession()?.token), serverData)
  const open = useStore(drafts)
  const [secret, setSecret] = useState<string>()
  const panel = useRef<HTMLElement>(null)
  const isRead = !list.isPending
  useAsked(panel, isRead)

  const reload = () => list.refetch()
  const create = async (body: WebhookBody) => {
    setSecret((await webhookApi.create(body)).secret)
    panel.current?.focus()
    await reload()
  }
  const formOf = (id: string, save: (body: WebhookBody) => Promise<unknown>) => {
    const draft = open[id]
    return draft ? <EndpointForm {...{ id, draft, planName, save }} /> : undefined
  }
  if (list.isError && !list.data) {
    if ((list.error as ApiError).errorType === 'ERR_NOT_FOUND') return null
    return (
      <ErrorPanel
        title="Your webhooks did not load."
        detail={list.error.message}
        action="Try again"
        busy={list.isFetching}
        onAction={reload}
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
      aside={isRead ? `${webhooks.length} of ${limit} endpoints` : undefined}
    >
      <div className="connections-body">
        {secret ? <Secret secret={secret} onDone={() => setSecret(undefined)} /> : null}
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
              waits={index >= limit}
              form={formOf(endpoint.id, async ({ kind, ...body }) => {
                await webhookApi.change(endpoint.id, { ...body, params: body.params ?? {} })
                await reload()
              })}
              reload={reload}
              onSecret={setSecret}
            />
          ))}
        </ul>
        {formOf('', create) ?? (
          <div style={LINE}>
            {isRead && webhooks.length < limit ? (
              <Button onClick={() => writeDraft('', newDraft(exampleFor(planName).text))}>
                New endpoint
              </Button>
            ) : null}
            {isRead && webhooks.length >= limit ? (
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
    </Panel>
  )
}

/** The secret of an endpoint, until it is dismissed: no call shows it again. */
function Secret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Notice tone="success">
      <span>Copy the secret now. It signs every message and is not shown again.</span>
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {secret}
      </span>
      <CopyButton text={secret} what="secret" />
      <Button size="sm" onClick={onDone}>
        Done
      </Button>
    </Notice>
  )
}

/** Comes into view when the address asks for it, and opens the form for the request that it brings. */
function useAsked(panel: RefObject<HTMLElement | null>, isRead: boolean) {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('webhook')
  useEffect(() => {
    if (asked === null || !isRead) return
    if (asked !== '') writeDraft('', { ...(drafts.read()[''] ?? newDraft(asked)), text: asked })
    panel.current?.scrollIntoView({ block: 'start' })
    panel.current?.focus({ preventScroll: true })
    setSearch(
      (params) => {
        params.delete('webhook')
        return params
      },
      { replace: true },
    )
  }, [asked, isRead, panel, setSearch])
}

import type { Connections, OpenConnection } from '@pairwire/contract'
import { useRef, useState } from 'react'
import { api } from '../../api/api.ts'
import { useCall } from '../../api/use-call.ts'
import { readUsage } from '../../api/use-usage.ts'
import { announce } from '../../components/announce.ts'
import { Button } from '../../components/button.tsx'
import { ActionError } from '../../components/field.tsx'
import { Panel } from '../../components/panel.tsx'
import { formatBytes, formatCount } from '../../locale/locale.ts'
import { duration, relativeTime } from '../../locale/relative-time.ts'
import { momentWords } from './moment-words.ts'
import './connections-panel.css'

const STREAMS = { newPair: 'new pairs', swap: 'swaps', latestBlock: 'blocks' } as const

/** Ended connections that are shown before the user asks for all. */
const FIRST_ENDED = 3

/** Every open connection with its Close button, and how the last ones ended. */
export default function ConnectionsPanel({ connections }: { connections: Connections }) {
  const [all, setAll] = useState(false)
  const panel = useRef<HTMLElement>(null)
  const { open, closed, missing } = connections
  const now = Date.parse(connections.at)

  const { run, busy, failure } = useCall(async (id: string) => {
    try {
      await api.closeConnection(id)
      announce('Connection closed.', 'status')
    } finally {
      await readUsage()
      panel.current?.focus()
    }
  })

  return (
    <Panel
      ref={panel}
      tabIndex={-1}
      className="connections"
      title="Connections"
      icon="plug"
      aside={missing ? `${open.length} or more open now` : `${open.length} open now`}
      aria-label="Connections"
    >
      <div className="connections-body">
        {missing ? (
          <p className="second" role="status">
            {missingWords(connections)}
          </p>
        ) : null}
        {open.length === 0 && closed.length === 0 && !missing ? (
          <p className="second">No connections in the last 24 hours.</p>
        ) : null}
        <ul className="connections-list">
          {open.map((connection) => (
            <li key={connection.id} className="connection connection-open">
              <Peer client={connection.client} address={connection.address} />
              <p className="connection-facts num">{openWords(connection, now)}</p>
              <Button
                size="sm"
                busy={busy?.[0] === connection.id}
                aria-label={`Close the connection from ${connection.address}`}
                onClick={() => run(connection.id)}
              >
                Close
              </Button>
            </li>
          ))}
          {closed.slice(0, all ? undefined : FIRST_ENDED).map((connection) => (
            <li key={connection.id} className="connection">
              <Peer client={connection.client} address={connection.address} />
              <p className="connection-facts num">
                {`Ended ${momentWords(connection.closedAt)} after ${duration(
                  Date.parse(connection.closedAt) - Date.parse(connection.openedAt),
                )} · ${formatCount(connection.sentEvents, 'event')}`}
              </p>
              <p className="connection-end">{connection.sentence}</p>
            </li>
          ))}
        </ul>
        <ActionError>
          {/* A connection that is already closed counts as success. */}
          {failure && failure.error.errorType !== 'ERR_NOT_FOUND'
            ? 'The connection could not be closed. Try again.'
            : null}
        </ActionError>
        {closed.length > FIRST_ENDED ? (
          <Button size="sm" variant="ghost" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${closed.length} that ended`}
          </Button>
        ) : null}
      </div>
    </Panel>
  )
}

function Peer({ client, address }: { client: string; address: string }) {
  return (
    <p className="connection-peer">
      <span className="connection-client" title={client}>
        {clientName(client)}
      </span>
      <span className="mono third">{address}</span>
    </p>
  )
}

/** Which gateways' answers are missing from what is shown; nothing when all have answered. */
export function missingWords({ missing }: Connections): string | undefined {
  if (!missing) return undefined
  const [verb, on] = missing.length === 1 ? ['does', 'it'] : ['do', 'them']
  return `${listed(missing)} ${verb} not answer: connections on ${on} are not shown.`
}

function listed(names: readonly string[]): string {
  const words = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The program's name from what a client calls itself: its first word, or that it is a browser. */
export function clientName(client: string): string {
  if (client.startsWith('Mozilla/')) return 'Browser'
  return client.split(' ', 1)[0] || 'Unnamed client'
}

function openWords(connection: OpenConnection, now: number): string {
  const streams = connection.subscriptions.map(({ kind }) => STREAMS[kind]).join(', ') || 'no subscriptions'
  return [
    `Open ${duration(now - Date.parse(connection.openedAt))}`,
    streams,
    `${formatCount(connection.sentEvents, 'event')}, ${formatBytes(connection.sentBytes)} sent`,
    `${formatBytes(connection.queuedBytes)} queued`,
    `seen ${relativeTime(Date.parse(connection.lastSeenAt), now)}`,
  ].join(' · ')
}

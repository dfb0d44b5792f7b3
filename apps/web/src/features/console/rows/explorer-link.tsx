import type { MouseEvent, PointerEvent } from 'react'
import { copyText } from '../../../components/copy-text.ts'
import { createStore, type Store, useStore } from '../../../components/store.ts'
import { shorten } from './shorten.ts'

type ExplorerLinkProps = {
  kind: 'token' | 'wallet' | 'signature'
  value: string
  /** Shown in place of the address. */
  label?: string
  tabIndex?: number
}

/**
 * What an explorer's address ends with, so that it looks on the chain that the data is from: empty for mainnet,
 * `undefined` where addresses lead nowhere, since those that the simulator makes up stand on no chain.
 */
export const explorerQuery: Store<string | undefined> = createStore<string | undefined>('')

/**
 * An address or signature, shortened, that opens the chain's explorer; Alt and press, or a finger's long press,
 * copies it whole.
 */
export function ExplorerLink({ kind, value, label = '', tabIndex }: ExplorerLinkProps) {
  const query = useStore(explorerQuery)
  const leads = query !== undefined
  if (value === '') return <span className="third">none</span>
  const href = `https://explorer.solana.com/${kind === 'signature' ? 'tx' : 'address'}/${encodeURIComponent(value)}${query}`
  return (
    <a
      className={label === '' ? 'mono row-link' : 'row-link row-name'}
      href={leads ? href : undefined}
      role={leads ? undefined : 'link'}
      // A token opens its drawer on a chain of the simulator too.
      aria-disabled={(!leads && kind !== 'token') || undefined}
      target="_blank"
      rel="noopener noreferrer"
      title={value}
      tabIndex={tabIndex}
      data-kind={kind}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerCancel}
      onContextMenu={onContextMenu}
      onClick={onClick}
    >
      {label === '' ? shorten(value) : <bdi>{label}</bdi>}
    </a>
  )
}

type Link = HTMLAnchorElement

// Every row has two links and every moment new ones, so they share their handlers, which read the link itself; only
// one of them is under a finger at a time.
/** Unix milliseconds since which a finger rests on a link. */
let touchedAt = Number.POSITIVE_INFINITY
let wasLong = false

function onPointerDown({ pointerType }: PointerEvent<Link>) {
  wasLong = false
  touchedAt = pointerType === 'touch' ? Date.now() : Number.POSITIVE_INFINITY
}

// Browsers let a page write to the clipboard when the finger is lifted, not while it rests.
function onPointerUp({ currentTarget: link }: PointerEvent<Link>) {
  wasLong = Date.now() - touchedAt >= LONG_PRESS_MS
  if (wasLong) copy(link)
  onPointerCancel()
}

function onPointerCancel() {
  touchedAt = Number.POSITIVE_INFINITY
}

/** A finger's long press would open the browser's own menu. */
function onContextMenu(event: MouseEvent<Link>) {
  if (touchedAt !== Number.POSITIVE_INFINITY) event.preventDefault()
}

function onClick(event: MouseEvent<Link>) {
  if (event.altKey) copy(event.currentTarget)
  if (event.altKey || wasLong) event.preventDefault()
  wasLong = false
}

function copy({ title, dataset }: Link) {
  void copyText(title, WORDS[dataset.kind as ExplorerLinkProps['kind']]) // written above
}

/** Milliseconds for which a finger rests on a link to copy it. */
const LONG_PRESS_MS = 500

const WORDS = { token: 'Token address', wallet: 'Wallet address', signature: 'Signature' } as const

import type { MouseEvent, PointerEvent } from 'react'
import { copyText } from '../../../components/copy-text.ts'
import { createStore, type Store, useStore } from '../../../components/store.ts'
import { shorten } from '../feed/shorten.ts'

type ExplorerLinkProps = {
  kind: 'token' | 'wallet' | 'signature'
  value: string
  /** Shown instead of the address. */
  label?: string
  tabIndex?: number
}

/**
 * The query of an explorer's addresses, which selects the chain of the data: empty for mainnet, `undefined` without
 * links, since the simulator's addresses are on no chain.
 */
export const explorerQuery: Store<string | undefined> = createStore<string | undefined>('')

/**
 * A shortened address or signature that opens the chain's explorer; an Alt press, or a finger's long press, copies it
 * in full.
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
      // A token opens its drawer on a simulated chain too.
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

// Every row has two links and new ones appear constantly, so they share their handlers, which read the link itself;
// only one of them is under a finger at a time.
/** Unix milliseconds since which a finger has been on a link. */
let touchedAt = Number.POSITIVE_INFINITY
let wasLong = false

function onPointerDown({ pointerType }: PointerEvent<Link>) {
  wasLong = false
  touchedAt = pointerType === 'touch' ? Date.now() : Number.POSITIVE_INFINITY
}

// Browsers let a page write to the clipboard when the finger is lifted, not before.
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

/** Milliseconds of a long press that copies a link. */
const LONG_PRESS_MS = 500

const WORDS = { token: 'Token address', wallet: 'Wallet address', signature: 'Signature' } as const

import type { MouseEvent } from 'react'
import { copyText } from './copy-text.ts'
import { shorten } from './shorten.ts'

type ExplorerLinkProps = {
  kind: 'token' | 'wallet' | 'signature'
  value: string
  tabIndex?: number
}

/** An address or signature, shortened, that opens the chain's explorer; Alt and press copies it whole. */
export function ExplorerLink({ kind, value, tabIndex }: ExplorerLinkProps) {
  if (value === '') return <span className="third">none</span>
  const copy = (event: MouseEvent) => {
    if (!event.altKey) return
    event.preventDefault()
    void copyText(value, WORDS[kind])
  }
  return (
    <a
      className="mono row-link"
      href={`https://explorer.solana.com/${kind === 'signature' ? 'tx' : 'address'}/${encodeURIComponent(value)}`}
      target="_blank"
      rel="noopener noreferrer"
      title={value}
      tabIndex={tabIndex}
      onClick={copy}
    >
      {shorten(value)}
    </a>
  )
}

const WORDS = { token: 'Token address', wallet: 'Wallet address', signature: 'Signature' } as const

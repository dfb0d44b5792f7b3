import { quoteSymbol } from '@pairwire/contract/mints'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { useStore } from '../../components/store.ts'
import { formatCount } from '../../locale/locale.ts'
import { useConsole } from './console-context.ts'
import { cleanName } from './feed/clean-name.ts'
import { feed, useFeed } from './feed/feed.ts'
import type { Row } from './feed/row.ts'
import { shorten } from './feed/shorten.ts'
import { faceSymbol } from './feed/token-face.ts'
import { figures } from './figures.ts'
import { COPY_FORMS } from './request/copy-forms.ts'
import { editRequest } from './request/edit-request.ts'
import { filterUpdate } from './request/filter-update.ts'
import { requestText } from './request/request-text.ts'
import { ExplorerLink, explorerQuery } from './rows/explorer-link.tsx'
import { Price } from './rows/price.tsx'
import { swapsOf, tokenFacts, tokenRequest } from './token-facts.ts'
import { TokenAvatar } from './tokens/token-avatar.tsx'
import { useTokenFace } from './tokens/use-token-face.ts'

/** One token as this page has seen it. It requests only the token's name from the server. */
export default function TokenDrawer() {
  const mint = useFeed('openToken')
  return mint === undefined ? null : <OpenDrawer key={mint} mint={mint} />
}

function OpenDrawer({ mint }: { mint: string }) {
  const { readAccess, start } = useConsole()
  const dialog = useRef<HTMLDialogElement>(null)
  const opener = useRef<Element | null>(null)
  const face = useTokenFace(mint)
  const swaps = useSeenSwaps(mint)
  const query = useStore(explorerQuery)
  const facts = tokenFacts(swaps)
  const symbol = faceSymbol(face)
  const name = cleanName(face?.name ?? '')
  const account = encodeURIComponent(mint)
  const close = () => feed.write({ openToken: undefined })

  useEffect(() => {
    opener.current = document.activeElement
    feed.names.want(mint)
    dialog.current?.showModal()
    return () => {
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus()
    }
  }, [mint])

  const subscribe = () => {
    const [request, typed, filter] = [tokenRequest(mint), requestText.read(), feed.read().filter]
    // A focus in the list would hold it.
    opener.current = document.querySelector('.stream')
    editRequest(request)
    close()
    if (feed.read().connection !== 'streaming') return start()
    const changed = feed.read().subscriptions.find((open) => filterUpdate(request, [open]))
    feed.send((changed && filterUpdate(request, [changed])) ?? request)
    feed.choose({ kind: 'all', text: `"${mint}"` })
    feed.resume()
    if (!changed) return
    const before = { method: 'swapSubscribe', params: JSON.parse(changed.params) }
    feed.write({
      changed: {
        words: `Changed your swap filter to ${symbol || shorten(mint)}.`,
        undo() {
          feed.send(filterUpdate(JSON.stringify(before), [changed])!) // of its own kind
          editRequest(typed)
          feed.choose(filter)
        },
      },
    })
  }
  const copyBot = () => {
    const node = COPY_FORMS.find(({ name }) => name === 'Node')!
    void copyText(node.write({ request: tokenRequest(mint), url: readAccess()?.url ?? '' }), 'Bot')
  }
  const onPress = (event: MouseEvent) => {
    if (event.target === dialog.current) close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      className="request-drawer token-drawer"
      ref={dialog}
      aria-label={`Token ${symbol || shorten(mint)}`}
      onClose={close}
      onClick={onPress}
    >
      <div className="drawer-head aligned">
        <TokenAvatar name={symbol} mint={mint} logo={face?.logo ?? ''} />
        <h2 dir="auto">
          {symbol || shorten(mint)} {name === symbol ? null : <span className="third">{name}</span>}
        </h2>
        <Button variant="ghost" icon="close" aria-label="Close" onClick={close} />
      </div>
      <div className="drawer-body request-panel">
        <div className="request-actions">
          <Button variant="primary" onClick={subscribe}>
            Subscribe to this token
          </Button>
          <Button onClick={copyBot}>Copy bot code</Button>
          <Button onClick={() => void copyText(mint, 'Token address')}>Copy mint</Button>
        </div>
        <p className="second small">Based on the last {formatCount(swaps.length, 'swap')} on this page.</p>
        <dl className="console-facts">
          <Fact name="Price">
            {facts.price ? (
              <>
                <Price price={facts.price.text} /> {quoteSymbol(facts.price.quoteMint) ?? ''}
                {facts.change === undefined ? '' : ` (${figures.change(facts.change)})`}
              </>
            ) : (
              '–'
            )}
          </Fact>
          <Fact name="Buys">{sideWords(facts.buys, facts.buysUsd)}</Fact>
          <Fact name="Sells">{sideWords(facts.sells, facts.sellsUsd)}</Fact>
          <Fact name="Mint">
            <ExplorerLink kind="token" value={mint} />
          </Fact>
          {query === undefined ? null : (
            <Fact name="Look it up">
              <OutLink href={`https://explorer.solana.com/address/${account}${query}`}>
                Solana Explorer
              </OutLink>
              {' · '}
              <OutLink href={`https://solscan.io/token/${account}${query}`}>Solscan</OutLink>
            </Fact>
          )}
        </dl>
        <h3 className="request-label">Largest wallets</h3>
        <dl className="console-facts">
          {facts.wallets.map(({ wallet, usd, swaps }) => (
            <div key={wallet}>
              <dt>
                <ExplorerLink kind="wallet" value={wallet} />
              </dt>
              <dd className="num">
                {figures.usd(usd)} in {formatCount(swaps, 'swap')}
              </dd>
            </div>
          ))}
        </dl>
        <h3 className="request-label">Whales</h3>
        {facts.whales.length === 0 ? <p className="third small">No whale swaps yet.</p> : null}
        <dl className="console-facts">
          {facts.whales.map(({ signature, wallet, isBuy, usd }) => (
            <div key={`${signature} ${wallet} ${usd}`}>
              <dt>
                {isBuy ? 'Buy' : 'Sell'} <ExplorerLink kind="signature" value={signature} />
              </dt>
              <dd className="num">{figures.usd(usd ?? 0)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  )
}

/** Describes the swaps of one side and their value; only their number if the value is unknown. */
function sideWords(count: number, usd: number): string {
  if (count === 0) return 'None'
  return usd === 0 ? figures.whole(count) : `${figures.whole(count)} for ${figures.usd(usd)}`
}

function OutLink(props: { href: string; children: string }) {
  return <a className="strong-link" target="_blank" rel="noopener noreferrer" {...props} />
}

/** Most swaps of a token remembered while its drawer is open. */
const MOST_SEEN = 500

/** Returns the swaps of a token among the rows, and those since the drawer was opened, newest first. */
function useSeenSwaps(mint: string): readonly Row[] {
  const [seen, setSeen] = useState<readonly Row[]>(() => swapsOf(mint, feed.read().rows))
  useEffect(
    () =>
      feed.watch(['rows'], () =>
        setSeen((before) => {
          const newest = before[0]?.id ?? 0
          const fresh = swapsOf(mint, feed.read().rows).filter(({ id }) => id > newest)
          return fresh.length === 0 ? before : [...fresh, ...before].slice(0, MOST_SEEN)
        }),
      ),
    [mint],
  )
  return seen
}

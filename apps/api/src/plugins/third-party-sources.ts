import type { ThirdParties } from '@pairwire/contract'

/** Sources that the pages' policy must allow, by directive. */
type PolicySources = Readonly<
  Record<'script' | 'style' | 'image' | 'font' | 'connect' | 'worker' | 'frame' | 'media', readonly string[]>
>

/**
 * Sources of the configured third parties, and of no others.
 *
 * @see https://docs.crisp.chat/guides/others/whitelisting-our-systems/crisp-domain-names for Crisp, whose window
 * needs inline styles and workers from a blob
 */
export function thirdPartySources(parties: ThirdParties): PolicySources {
  const sources: { [directive in keyof PolicySources]: string[] } = {
    script: [],
    style: [],
    image: [],
    font: [],
    connect: [],
    worker: [],
    frame: [],
    media: [],
  }
  if (parties.sentryDsn) sources.connect.push(new URL(parties.sentryDsn).origin)
  if (parties.crispWebsiteId) {
    const client = 'https://client.crisp.chat'
    sources.script.push(client)
    sources.style.push(client, "'unsafe-inline'")
    sources.image.push(client, 'https://image.crisp.chat', 'https://storage.crisp.chat')
    sources.font.push(client)
    sources.media.push(client)
    sources.worker.push(client, 'blob:')
    sources.frame.push('https://game.crisp.chat')
    sources.connect.push(
      client,
      'https://storage.crisp.chat',
      'wss://client.relay.crisp.chat',
      'wss://stream.relay.crisp.chat',
    )
  }
  if (parties.clarityProjectId) {
    const clarity = ['https://*.clarity.ms', 'https://c.bing.com']
    sources.script.push('https://*.clarity.ms')
    sources.image.push(...clarity)
    sources.connect.push(...clarity)
  }
  return sources
}

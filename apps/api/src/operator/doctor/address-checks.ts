import { randomBytes } from 'node:crypto'
import { codeOf, messageOf } from '@pairwire/basics'
import { DAY_MS } from '@pairwire/contract'
import { type Answer, askAt, createResolver, findAddresses } from '../../ask-ourselves.ts'
import { type Checks, type Finding, fail, skipped, together, warn } from './check.ts'
import { PROOF_PATH, proofOf, type SeenWay } from './deployment-proof.ts'
import type { DoctorParts } from './doctor-parts.ts'

/** Days before its end at which a certificate should long have been renewed. */
const RENEWED_DAYS = 14

/** Errors of an IPv6 address on a machine without IPv6. */
const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']

/** Checks of the way from the internet to this service. */
export function addressChecks(parts: DoctorParts): Checks {
  return {
    address: (signal) => checkAddress(parts, signal),
    proxy: (signal) => checkProxy(parts, signal),
  }
}

async function checkAddress(parts: DoctorParts, signal: AbortSignal): Promise<Finding> {
  const { publicUrl, production } = parts.config
  const { host, hostname } = new URL(publicUrl)
  const addresses = await findAddresses(createResolver(parts.nameServers), hostname)
  if (addresses.length === 0) {
    return fail(
      `${hostname} has no address in the DNS.`,
      `Add an A or AAAA record for ${hostname} that leads to this machine or its proxy.`,
    )
  }
  const nonce = randomBytes(16).toString('hex')
  const proof = proofOf(parts.sessionSecret(), nonce, 'answer')
  const url = new URL(`${publicUrl}${PROOF_PATH}${nonce}`)
  const tried = await Promise.all(
    addresses.map((address) =>
      askAt(address, url, { ca: parts.ca, signal }).then(
        (answer) => ({ address, answer, error: undefined }),
        (error: unknown) => ({ address, answer: undefined, error }),
      ),
    ),
  )
  const isAnswered = tried.some(({ answer }) => answer)
  const faults = tried.flatMap(({ address, answer, error }): (Finding | false)[] => {
    if (answer) return judge(answer, { address, hostname, isOurs: answer.body === proof })
    if (isAnswered && (!production || NO_ROUTE.includes(codeOf(error) ?? ''))) return []
    if (!production) return [warn(`The service does not answer at ${publicUrl}.`, 'Start it with npm start.')]
    return [
      fail(
        `Nothing answers for ${host} at ${address}: ${codeOf(error) ?? messageOf(error)}.`,
        `Start the service and the proxy in front of it, let firewalls pass the port, and correct the DNS record if ${address} is not this deployment.`,
      ),
    ]
  })
  const ends = tried.flatMap(({ answer }) => answer?.certificate?.endsAt ?? [])
  const days = ends.length > 0 && ` and its certificate is good for ${daysTo(Math.min(...ends))} days`
  return together(faults, `${publicUrl} leads to this deployment${days || ''}.`)
}

function judge(
  { certificate }: Answer,
  { address, hostname, isOurs }: Readonly<{ address: string; hostname: string; isOurs: boolean }>,
): (Finding | false)[] {
  const days = certificate ? daysTo(certificate.endsAt) : Infinity
  return [
    certificate?.fault !== undefined &&
      fail(
        `The certificate at ${address} is not valid for ${hostname}: ${certificate.fault}.`,
        `Let the proxy get a certificate for ${hostname}, as Caddy does by itself, and send it with its whole chain.`,
      ),
    !certificate?.fault &&
      days < RENEWED_DAYS &&
      warn(
        `The certificate at ${address} ends in ${days} days.`,
        'Renew it now. The log of the proxy says why that did not happen by itself.',
      ),
    !isOurs &&
      fail(
        `What answers at ${address} is not this deployment.`,
        'Let the DNS record and the proxy lead to this service, and give every api the same SESSION_SECRET.',
      ),
  ]
}

function daysTo(endsAt: number): number {
  return Math.ceil((endsAt - Date.now()) / DAY_MS)
}

/** What a browser sends to open a stream; without a key it is told so after the upgrade. */
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }

async function checkProxy(parts: DoctorParts, signal: AbortSignal): Promise<Finding> {
  const { publicUrl } = parts.config
  const { hostname, protocol } = new URL(publicUrl)
  const addresses = await findAddresses(createResolver(parts.nameServers), hostname)
  const nonce = randomBytes(16).toString('hex')
  const proof = proofOf(parts.sessionSecret(), nonce, 'question')
  const key = randomBytes(16).toString('base64')
  const ask = (path: string, headers = {}) =>
    Promise.any(
      addresses.map((address) =>
        askAt(address, new URL(`${publicUrl}${path}`), { ca: parts.ca, headers, signal }),
      ),
    )
  let way: SeenWay
  let stream: Answer
  try {
    const [asked, opened] = await Promise.all([
      ask(`${PROOF_PATH}${nonce}?proof=${proof}`),
      ask('/?refusals=close', { ...UPGRADE, 'sec-websocket-key': key }),
    ])
    way = JSON.parse(asked.body)
    stream = opened
  } catch {
    return skipped('The check address says why this service does not answer.')
  }
  const { peer, forwarded } = way
  const [first, ...proxies] = forwarded
  return together(
    [
      !stream.isUpgraded &&
        fail(
          'The proxy does not pass websockets, so no stream can be opened.',
          'Let it pass Upgrade and Connection on /: Caddy does by itself, nginx needs proxy_http_version 1.1 and both headers set.',
        ),
      first !== undefined &&
        way.address !== first &&
        fail(
          `Every client counts as ${way.address}, which is a proxy.`,
          `Set TRUST_PROXY=${[...new Set([...proxies, peer])].join(',')} and restart the service.`,
        ),
      first === undefined &&
        protocol === 'https:' &&
        fail(
          `The proxy at ${peer} does not say whom it forwards, so every client counts as the proxy.`,
          `Let it send X-Forwarded-For, as Caddy does by itself, and set TRUST_PROXY=${peer}.`,
        ),
    ],
    `Websockets pass, and ${first === undefined ? 'no proxy is in between' : 'addresses of clients arrive'}.`,
  )
}

import helmet from '@fastify/helmet'
import type { ThirdParties } from '@pairwire/contract'
import { isLoopbackHost } from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import type { Billing } from '../adapters/billing.ts'
import type { Captcha } from '../adapters/captcha.ts'
import { thirdPartySources } from './third-party-sources.ts'

/** Seconds for which browsers insist on https: a year. */
const HSTS_SECONDS = 31_536_000

/**
 * Puts the policy and the other security headers on every answer, including static files: a worker takes its policy from its
 * own script's headers.
 */
export async function addSecurityHeaders(
  app: FastifyInstance,
  parts: {
    publicUrl: string
    streamUrl: string
    captcha: Captcha
    billing: Billing | undefined
    thirdParties: ThirdParties
  },
): Promise<void> {
  const { script, frame } = parts.captcha.sources
  const payment = parts.billing?.sources ?? { script: [], style: [], frame: [] }
  const others = thirdPartySources(parts.thirdParties)

  await app.register(helmet, {
    global: true,
    contentSecurityPolicy: {
      // The defaults allow inline styles and upgrade requests to https, which breaks plain http addresses.
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...script, ...payment.script, ...others.script],
        styleSrc: ["'self'", ...payment.style, ...others.style],
        imgSrc: ["'self'", 'data:', ...others.image],
        fontSrc: ["'self'", ...others.font],
        connectSrc: [
          "'self'",
          originOf(parts.streamUrl),
          ...localStreams(parts.publicUrl),
          ...others.connect,
        ],
        workerSrc: ["'self'", ...others.worker],
        frameSrc: ["'self'", ...frame, ...payment.frame, ...others.frame],
        ...(others.media.length > 0 ? { mediaSrc: ["'self'", ...others.media] } : {}),
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: new URL(parts.publicUrl).protocol === 'https:' && {
      maxAge: HSTS_SECONDS,
      includeSubDomains: false,
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    crossOriginEmbedderPolicy: false,
  })

  // A wallet in the provider's frame needs it.
  const payers = payment.frame.map((source) => `"${source}"`).join(' ')
  app.addHook('onRequest', async (_request, reply) => {
    reply.header(
      'permissions-policy',
      `camera=(), geolocation=(), microphone=(), payment=(${payers}), usb=()`,
    )
  })
}

/** On the local machine a page may open any stream there: a second service, or one of a test. */
function localStreams(publicUrl: string): readonly string[] {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && isLoopbackHost(hostname) ? ['ws://localhost:*', 'ws://127.0.0.1:*'] : []
}

function originOf(streamUrl: string): string {
  const { protocol, host } = new URL(streamUrl)
  return `${protocol}//${host}`
}

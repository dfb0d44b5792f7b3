/** Facts that a person needs once the service is ready. */
type ReadyFacts = Readonly<{
  publicUrl: string
  /** Whether mails are shown at /dev/mail. */
  hasMailbox: boolean
  /** Where mails go otherwise; undefined if they go nowhere. */
  smtpUrl: string | undefined
  /** A key that works from this machine; undefined if there is none. */
  localKey: string | undefined
}>

/** A request that gets an answer within a second from the simulator. */
const FIRST_REQUEST = '{"id":1,"method":"swapSubscribe"}'

/** The lines on the terminal once the service is ready. The first one is promised to programs; the others follow it. */
export function readyLines({ publicUrl, hasMailbox, smtpUrl, localKey }: ReadyFacts): string[] {
  const lines = [`Pairwire is ready at ${publicUrl}`]
  if (hasMailbox) lines.push(`Emails are at ${publicUrl}/dev/mail`)
  else if (smtpUrl) lines.push(`Emails are sent by ${new URL(smtpUrl).host}`)
  if (localKey) {
    const stream = publicUrl.replace(/^http/, 'ws')
    lines.push(
      'See the stream now: run this in a terminal on this machine. The key lasts until the next start.',
    )
    lines.push(`  npx -y wscat -c ${stream}/ -H "X-API-KEY: ${localKey}" -x '${FIRST_REQUEST}' -w -1`)
  }
  return lines
}

// Posts every new pair to a Telegram chat, one message a second. After a restart it resumes where it stopped.
import { setTimeout as wait } from 'node:timers/promises'
import { createPairwire } from '@pairwire/client'
import { fileCursors } from '@pairwire/client/node'

const { TELEGRAM_TOKEN, TELEGRAM_CHAT, TELEGRAM_API = 'https://api.telegram.org' } = process.env
const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const pairs = pairwire.newPairs({}, { name: 'telegram', cursors: fileCursors('cursors.json') })
pairs.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

for await (const { pair } of pairs) {
  const name = clean(pair.baseToken.info?.metadata?.name ?? '') || 'unnamed'
  await post(`New pair on ${pair.sourceExchange}: ${name}\n${pair.baseToken.account}`)
}

// Anyone can name a token anything: keep letters and digits, so that no link, mention or hidden character is left.
function clean(name) {
  const words = name.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .join(' ')
    .match(/.{0,32}/u)[0]
    .trim()
}

async function post(text) {
  for (let tries = 1; ; tries++) {
    const [answer] = await Promise.all([send(text), wait(1_000)])
    if (answer.ok) return
    console.error('Telegram:', answer.description)
    if (answer.error_code < 500 && answer.error_code !== 429) process.exit(1) // no retry helps
    await wait(1_000 * (answer.parameters?.retry_after ?? Math.min(tries, 30)))
  }
}

function send(text) {
  const body = JSON.stringify({ chat_id: TELEGRAM_CHAT, text }) // no parse_mode: plain text
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
  const answer = fetch(`${TELEGRAM_API}/bot${TELEGRAM_TOKEN}/sendMessage`, request)
  return answer.then((response) => response.json()).catch(({ message }) => ({ description: message }))
}

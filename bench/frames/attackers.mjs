// Accounts that send the frames of one kind as fast as their sockets take them: `node attackers.mjs <port> <kind> <accounts>`.
// Who is closed comes back as soon as it may.
import { connect } from 'node:net'
import { upgradeRequest } from '../by-hand.mjs'
import { KINDS, text } from './kinds.mjs'

const [portText, kind, accountsText] = process.argv.slice(2)
const port = Number(portText)
const accounts = Number(accountsText)
/** Milliseconds between two connections of a key: one a second is allowed. */
const RECONNECT_MS = 1_001
const SUBSCRIBE = text('{"id":1,"method":"swapSubscribe","params":{"include":{"usdValue":1000000000}}}')

let isOn = false
let sent = 0
let opened = 0
const starts = new Set()

for (let number = 0; number < accounts; number++) open(number.toString(16).padStart(32, 'a'), KINDS[kind]())
process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'start') {
    isOn = true
    for (const start of starts) start()
  } else process.send({ sent })
})

function open(key, frames) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let next = 0
  let isOpen = false
  const flood = () => {
    if (!isOn || !isOpen) return
    do {
      sent++
      next++
    } while (socket.writable && socket.write(frames[next % frames.length]))
  }
  starts.add(flood)
  socket.on('error', () => {})
  socket.on('drain', flood)
  socket.on('close', () => {
    starts.delete(flood)
    setTimeout(() => open(key, frames), RECONNECT_MS)
  })
  socket.on('data', (chunk) => {
    if (isOpen) return
    isOpen = chunk.toString('latin1').startsWith('HTTP/1.1 101')
    if (!isOpen) return
    opened++
    if (opened === accounts) process.send('open')
    socket.write(SUBSCRIBE)
    flood()
  })
  socket.write(upgradeRequest(key))
}

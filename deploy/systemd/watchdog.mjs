// Loaded before a service by the units of this folder: tells systemd that the main loop turns, four times in each time
// of WatchdogSec. A loop that stands still has no timers, so systemd ends such a process and starts a new one.
import { spawn } from 'node:child_process'
import { isMainThread } from 'node:worker_threads'

const everyMs = Number(process.env.WATCHDOG_USEC) / 1_000 / 4

// Threads of the service load this file too, and say nothing of its main loop.
if (isMainThread && everyMs > 0) setInterval(feed, everyMs).unref()

function feed() {
  const child = spawn('systemd-notify', ['WATCHDOG=1'], { stdio: 'ignore' })
  child.on('error', ({ message }) => console.error(`The watchdog of systemd cannot be told: ${message}`))
  child.unref()
}

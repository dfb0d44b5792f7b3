// `npm start`: prepares the clone, then runs the whole product in this process.
import { prepare, readEnvFile, root } from './prepare.mjs'

// A reader of our output that closes it (`npm start | head`) must not end the service.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

try {
  readEnvFile()
  await prepare()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

// If npm keeps a shell between itself and us, that shell dies on SIGTERM without forwarding it.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 300).unref()
}

await import(new URL('apps/standalone/dist/main.js', `file://${root}`).href)

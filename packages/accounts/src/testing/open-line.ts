import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { openDatabase } from '../database/open-database.ts'
import { MIGRATIONS } from './pglite-folders.ts'
import { createPostgresDatabase, startPostgres } from './postgres-server.ts'

/** A PostgreSQL of its own with an empty database, reached over a {@link openLine}. The caller closes it. */
export async function openDatabaseOverLine(queryTimeoutMs: number) {
  const server = await startPostgres()
  const line = await openLine(server.socket)
  const { pathname } = new URL((await createPostgresDatabase(server.adminUrl)).url)
  const database = await openDatabase(
    { url: `postgresql://postgres@127.0.0.1:${line.port}${pathname}` },
    { migrationsFolder: MIGRATIONS, log: { warn: () => {} }, queryTimeoutMs },
  )
  const close = async () => {
    await database.close()
    line.close()
    await server.stop()
  }
  return { database, line, close }
}

/** A proxy to a socket whose present connections can go silent for good, as behind a router that forgot them. */
async function openLine(path: string) {
  const near = new Map<Socket, Socket>()
  const server = createServer((socket) => {
    const far = connect(path)
    near.set(socket, far)
    for (const end of [socket, far]) end.on('error', () => {})
    socket.on('close', () => far.destroy())
    far.on('close', () => socket.destroy())
    socket.pipe(far).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** What the client sends arrives no more. */
    silence() {
      for (const socket of near.keys()) socket.unpipe()
      near.clear()
    },
    /** What the client sends still arrives, but no answer comes back. */
    swallowAnswers() {
      for (const far of near.values()) far.unpipe().resume()
      near.clear()
    },
    close: () => server.close(),
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment, Part } from './deployment.ts'

/** A fault of a deployment: a part of it is away for a time, and returns. */
export type Fault = Readonly<{ name: string; do(downMs: number): Promise<void> }>

/** All faults of a deployment; `database` says since when its database may be away. */
export function faultsOf(
  { parts, nats, postgres, lines }: Deployment,
  database: { downSince: number | undefined },
): Fault[] {
  /** Retries like a supervisor, since its dependencies may be away. */
  const startAgain = async (part: Part) => {
    for (let tries = 0; !part.isRunning(); tries++) {
      await part.start().catch((error) => {
        if (tries > 20) throw error
      })
      if (!part.isRunning()) await wait(250)
    }
  }
  const withoutDatabase = async (action: () => Promise<void>) => {
    const since = performance.now()
    database.downSince ??= since
    await action()
    // Processes that count then write their pending counts.
    await wait(3_000)
    if (database.downSince === since) database.downSince = undefined
  }
  const faults: Fault[] = [...parts.values()].flatMap((part) =>
    (['SIGKILL', 'SIGTERM'] as const).map((signal) => ({
      name: `${signal} ${part.name}`,
      async do(downMs: number) {
        await part.end(signal)
        await wait(downMs)
        await startAgain(part)
      },
    })),
  )
  faults.push(
    {
      name: 'SIGKILL nats',
      async do(downMs) {
        await nats.kill()
        await wait(downMs)
        await nats.start()
      },
    },
    {
      name: 'SIGKILL postgres',
      do: (downMs) =>
        withoutDatabase(async () => {
          await postgres.kill()
          await wait(downMs)
          await postgres.start()
        }),
    },
  )
  if (lines) {
    faults.push(
      {
        name: 'cut nats',
        async do(downMs) {
          lines.nats.cut()
          await wait(downMs)
          lines.nats.mend()
        },
      },
      {
        name: 'cut postgres',
        do: (downMs) =>
          withoutDatabase(async () => {
            lines.postgres.cut()
            await wait(downMs)
            lines.postgres.mend()
          }),
      },
    )
  }
  return faults
}

/** On how many parts at once something can be done. */
export function targetsOf(faults: readonly Fault[]): number {
  return new Set(faults.map(({ name }) => name.split(' ')[1])).size
}

/** Some of them, at most one per target. */
export function pick(faults: readonly Fault[], count: number, random: () => number): Fault[] {
  const chosen = new Map<string, Fault>()
  while (chosen.size < count) {
    const fault = faults[Math.floor(random() * faults.length)]!
    chosen.set(fault.name.split(' ')[1]!, fault)
  }
  return [...chosen.values()]
}

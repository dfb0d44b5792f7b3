import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment, Part } from './deployment.ts'

/** What is done to a deployment, each for a time: something is away, and comes back. */
export type Deed = Readonly<{ name: string; do(downMs: number): Promise<void> }>

/** All that can be done to it; `database` says since when its database may be away. */
export function deedsOn(
  { parts, nats, postgres, lines }: Deployment,
  database: { downSince: number | undefined },
): Deed[] {
  /** As a supervisor does: again and again, since what it needs may be away. */
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
    // Those who count write down what they have kept.
    await wait(3_000)
    if (database.downSince === since) database.downSince = undefined
  }
  const deeds: Deed[] = [...parts.values()].flatMap((part) =>
    (['SIGKILL', 'SIGTERM'] as const).map((signal) => ({
      name: `${signal} ${part.name}`,
      async do(downMs: number) {
        await part.end(signal)
        await wait(downMs)
        await startAgain(part)
      },
    })),
  )
  deeds.push(
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
    deeds.push(
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
  return deeds
}

/** Of how many parts at once something can be done. */
export function targetsOf(deeds: readonly Deed[]): number {
  return new Set(deeds.map(({ name }) => name.split(' ')[1])).size
}

/** Some of them, of each target one. */
export function pick(deeds: readonly Deed[], count: number, random: () => number): Deed[] {
  const chosen = new Map<string, Deed>()
  while (chosen.size < count) {
    const deed = deeds[Math.floor(random() * deeds.length)]!
    chosen.set(deed.name.split(' ')[1]!, deed)
  }
  return [...chosen.values()]
}

import type { Accounts, RunningGateway } from '@pairwire/accounts'
import { type Clock, type Looking, lookAgain } from '@pairwire/basics'
import { type Bus, NoAnswerError } from '@pairwire/bus'
import {
  AnyStream,
  AppError,
  ASKS,
  type OfAccount,
  OpenStream,
  PROCESS_PARTS,
  ProcessState,
  SourceState,
  STREAM_RANKS,
  TokensAnswer,
} from '@pairwire/contract'
import * as z from 'zod'
import type { ApiParts } from './parts.ts'

/** The state of the other parts of a deployment, queried over the bus. */
type OtherAnswers = Pick<
  ApiParts,
  'sourceState' | 'openStreams' | 'lookUpTokens' | 'listConnections' | 'listProcesses'
> &
  Required<Pick<ApiParts, 'missingAnswers'>> &
  // Asks ingest for the state of the source now and then.
  Looking &
  Readonly<{
    /** Whether every running gateway answers; if none runs, that part is away. */
    gateways(): Promise<Readonly<Record<string, boolean>>>
  }>

/** Milliseconds in which another part has to answer. */
const ANSWER_MS = 1_500

/** The same for all processes of a kind, for which the whole time is waited: less than the room gives to a part. */
const ALL_ANSWER_MS = 1_000

/** Milliseconds between two queries of the source's state. */
const ASK_EVERY_MS = 1_000

/** Milliseconds after which an answer about the source is too old to use. */
const STALE_MS = 5_000

/** An account that does not exist: no gateway has a stream for it. */
const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Queries over `bus`; the running gateways are read from the database. */
export function askOthers({
  accounts,
  bus,
  clock,
}: Readonly<{
  accounts: Pick<Accounts, 'listGateways'>
  bus: Pick<Bus, 'request' | 'requestAll'>
  clock: Pick<Clock, 'elapsed' | 'after'>
}>): OtherAnswers {
  let state = NOTHING_KNOWN
  let answeredAt = Number.NEGATIVE_INFINITY

  const ask = async () => {
    try {
      state = SourceState.parse(await bus.request(ASKS.ingestState(), {}, ANSWER_MS))
      answeredAt = clock.elapsed()
    } catch {
      // The last answer ages, and its age shows that.
    }
    return ASK_EVERY_MS
  }

  const streamsOf = async ({ id }: RunningGateway, accountId: string) => {
    const body: OfAccount = { accountId }
    return z.array(OpenStream).parse(await bus.request(ASKS.openStreams(id), body, ANSWER_MS))
  }

  /** What each gateway answers to `ask`, undefined if nothing; and the names of those. */
  const askEach = async <Answer>(ask: (gateway: RunningGateway) => Promise<Answer>) => {
    const gateways = await accounts.listGateways()
    const answers = await Promise.all(
      gateways.map(async (gateway, at) => {
        const answer = await ask(gateway).catch(() => undefined)
        // By number, so that machine names are not shown outside.
        return { name: `gateway ${at + 1} of ${gateways.length}`, answer }
      }),
    )
    const missing = answers.filter(({ answer }) => answer === undefined).map(({ name }) => name)
    return { answers, missing }
  }
  let missingGateways: readonly string[] = []
  const isSourceHeard = () => clock.elapsed() - answeredAt < STALE_MS

  return {
    sourceState: () => (isSourceHeard() ? state : { ...state, up: false }),

    async openStreams(accountId) {
      const { answers, missing } = await askEach((gateway) => streamsOf(gateway, accountId))
      return {
        open: answers
          .flatMap(({ answer }) => answer ?? [])
          .sort((left, right) => left.connectedAt - right.connectedAt),
        missing,
      }
    },

    async listConnections(wanted) {
      const { answers, missing } = await askEach(async ({ id }) =>
        z.array(AnyStream).parse(await bus.request(ASKS.connections(id), wanted, ANSWER_MS)),
      )
      const all = answers.flatMap(({ answer }) => answer ?? [])
      all.sort((left, right) => STREAM_RANKS[wanted.sort](right) - STREAM_RANKS[wanted.sort](left))
      return { rows: all.slice(0, wanted.limit), missing }
    },

    async listProcesses() {
      const answers = await Promise.all(
        PROCESS_PARTS.map((part) => bus.requestAll(ASKS.process(part), {}, ALL_ANSWER_MS)),
      )
      return z.array(ProcessState).parse(answers.flat())
    },

    async lookUpTokens(mints) {
      try {
        return TokensAnswer.shape.tokens.parse(await bus.request(ASKS.tokens(), mints, ANSWER_MS))
      } catch (error) {
        if (error instanceof NoAnswerError) throw new AppError('ERR_UNAVAILABLE')
        throw error
      }
    },

    async gateways() {
      const { answers, missing } = await askEach((gateway) => streamsOf(gateway, NOBODY))
      missingGateways = missing
      return { gateways: answers.length > 0 && missing.length === 0 }
    },

    missingAnswers: () => [...(isSourceHeard() ? [] : ['ingest']), ...missingGateways],

    ...lookAgain(clock, ask),
  }
}

/** Before the first answer. */
const NOTHING_KNOWN: SourceState = {
  up: false,
  lagMs: null,
  latestBlock: null,
  lags: { bounds: [], counts: [], sum: 0 },
  events: {},
  eventsPerSecond: 0,
  totals: {},
  refusals: {},
  solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] },
}

import type { Actor } from '@pairwire/accounts'
import type { InputOf, ListName, RowOf, VerbName } from '@pairwire/contract/operator'
import type { ApiParts } from '../parts.ts'

/**
 * Who calls a verb, and how: a session of the room, the tool on the machine, or a token. A viewer and a token that
 * names no verbs only read.
 */
export type Caller = Omit<Actor, 'verb'> & Readonly<{ readsOnly?: boolean | undefined }>

/** What the verbs need. */
export type OperatorParts = Pick<
  ApiParts,
  | 'accounts'
  | 'adminUrl'
  | 'alarmUrl'
  | 'archive'
  | 'billing'
  | 'bus'
  | 'clock'
  | 'doctor'
  | 'elapsed'
  | 'hasPlaces'
  | 'listConnections'
  | 'listProcesses'
  | 'log'
  | 'moneyNow'
  | 'noticesChanged'
  | 'production'
  | 'publicUrl'
  | 'simulated'
  | 'sourceKind'
> &
  // What only a running service knows.
  Partial<
    Pick<
      ApiParts,
      'archiveFigures' | 'health' | 'mailsSettled' | 'missingAnswers' | 'oldestCursor' | 'sourceState'
    >
  >

/** The parts of one call; `by` goes into its act. */
export type CallParts = OperatorParts & Pick<Caller, 'readsOnly'> & Readonly<{ by: Actor }>

/** Some rows of a list, and the cursor of the next ones; null at the end. `missing` names gateways that did not answer. */
export type Page<Row> = Readonly<{ rows: readonly Row[]; next: string | null; missing?: readonly string[] }>

/** The input of a list, with the most rows to answer. */
export type ListInput<Name extends ListName> = InputOf<Name> & Readonly<{ limit: number }>

/**
 * What the verbs do, each by its name: a list answers one page, any other verb gives its rows as they are done, or has
 * none. Each throws an AppError on a refusal.
 */
export type Runs<Names extends VerbName = VerbName> = {
  readonly [Name in Names]: Name extends ListName
    ? (input: ListInput<Name>, parts: CallParts) => Promise<Page<RowOf<Name>>>
    : (
        input: InputOf<Name>,
        parts: CallParts,
      ) => [RowOf<Name>] extends [never] ? Promise<void> : AsyncIterable<RowOf<Name>>
}

/** The names of a group's verbs. */
export type NamesOf<Group extends string> = Extract<VerbName, `${Group} ${string}`>

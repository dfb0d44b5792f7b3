import type { Accounts, Actor } from '@pairwire/accounts'

/**
 * Does what happens outside of the database, as a refund at the provider: with an act that it was asked for before, and one
 * that says how it ended after. Without an actor there are none.
 */
export async function actOutside<Answer>(
  accounts: Pick<Accounts, 'noteAct'>,
  by: Actor,
  act: Readonly<{ accountId: string | null; changes: Readonly<Record<string, unknown>> }>,
  effect: () => Promise<Answer>,
): Promise<Answer> {
  const note = (outcome: 'asked' | 'done' | 'refused') => accounts.noteAct(by, { ...act, outcome })
  await note('asked')
  let answer: Answer
  try {
    answer = await effect()
  } catch (error) {
    await note('refused')
    throw error
  }
  await note('done')
  return answer
}

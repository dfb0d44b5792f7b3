import type { Accounts, Actor } from '@pairwire/accounts'

/**
 * Does something outside of the database, such as a refund at the provider: an act before it says that it was asked for, and
 * one after it how it ended.
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

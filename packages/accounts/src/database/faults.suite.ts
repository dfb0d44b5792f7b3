import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it } from 'vitest'
import { OPERATOR } from '../acts/acts.suite.ts'
import { type AccountsUnderTest, expectRefusal, MINUTE_MS, START } from '../testing/accounts-under-test.ts'

/** Queries that fail, deadlocks and many callers at once: what every database must survive. */
export function describeFaults(under: AccountsUnderTest): void {
  const { accounts, db, register } = under

  // Guards against emails, tokens and keys in logs: the libraries put a query's parameters into their messages.
  it('fails without naming any parameter when a query goes wrong', async () => {
    await db.execute(sql`alter table accounts rename to accounts_hidden`)
    try {
      const error: unknown = await register('ann@example.org').catch((reason: unknown) => reason)

      expect(error).toMatchObject({ name: 'DatabaseError', code: '42P01' })
      expect(
        `${JSON.stringify(error)} ${(error as Error).stack} ${String((error as Error).cause)}`,
      ).not.toContain('ann@example.org')
    } finally {
      await db.execute(sql`alter table accounts_hidden rename to accounts`)
    }
  })

  describe('what meets a deadlock', () => {
    /** Has so many insertions into a table meet one: numbers of a sequence stay taken, whatever is undone. */
    const clashes = (table: string, times: number) =>
      db.execute(
        sql.raw(`
        create sequence met;
        create function clash() returns trigger language plpgsql as $$ begin
          if nextval('met') <= ${times} then raise exception 'no' using errcode = '40P01'; end if;
          return new;
        end $$;
        create trigger clash before insert on ${table} for each row execute function clash()`),
      )
    afterEach(() => db.execute(sql.raw('drop function clash cascade; drop sequence met')))

    it('is done again, a transaction from its begin', async () => {
      await clashes('acts', 2)

      await accounts.addStatus('Delays on Raydium.', { by: OPERATOR })

      expect(await accounts.listNotices()).toMatchObject([{ details: 'Delays on Raydium.' }])
    })

    it('is done again, a statement by itself', async () => {
      await clashes('used_captchas', 2)

      expect(await accounts.useCaptcha('signature', new Date(START + 5 * MINUTE_MS))).toBe(true)
    })

    it('is given up at the third time, as for a database that is away', async () => {
      await clashes('status_items', 4)

      await expectRefusal('ERR_UNAVAILABLE', accounts.addStatus('Delays on Raydium.'))

      expect((await db.execute(sql`select last_value::int as tries from met`)).rows).toEqual([{ tries: 3 }])
    })
  })

  it('starts the next transaction clean after one that failed half-way', async () => {
    await expect(
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into status_items (details, created_at) values ('half', now())`)
        await tx.execute(sql`select 1 / 0`)
      }),
    ).rejects.toThrow()

    await accounts.addStatus('whole')

    expect(await accounts.listNotices()).toMatchObject([{ details: 'whole' }])
  })

  it('gives each of many interleaved callers its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        // Every third breaks its connection, which the pool then replaces.
        const query =
          number % 3 === 0 ? sql`select ${number}::int / 0 as value` : sql`select ${number}::int as value`
        try {
          return (await db.execute(query)).rows[0]?.value
        } catch {
          return 'refused'
        }
      }),
    )

    expect(answers).toEqual(
      Array.from({ length: 60 }, (_, number) => (number % 3 === 0 ? 'refused' : number)),
    )
  })
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('./check-migrations.mjs', import.meta.url))

describe('the check of migrations', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pairwire-migrations-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const check = (sql: string, name = '0020_new.sql') => {
    writeFileSync(join(folder, name), sql)
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' })
    return { status, stderr }
  }

  it.each([
    ['CREATE TABLE "a" ("b" text NOT NULL, "c" text DEFAULT \'drop table x\' NOT NULL);'],
    ['ALTER TABLE "a" ADD COLUMN "b" text;--> statement-breakpoint\nCREATE INDEX "c" ON "a" ("b");'],
    ['ALTER TABLE "a" ADD COLUMN "b" boolean DEFAULT false NOT NULL;'],
    ['ALTER TABLE "a" ALTER COLUMN "b" DROP NOT NULL;'],
    ['-- this will not drop anything\nSELECT 1;'],
  ])('lets through what only adds: %s', (sql) => {
    expect(check(sql)).toEqual({ status: 0, stderr: '' })
  })

  it.each([
    ['DROP TABLE "a";', 'drops something'],
    ['ALTER TABLE "a"\n  DROP COLUMN "b";', 'drops something'],
    ['drop index "a";', 'drops something'],
    ['ALTER TABLE "a" RENAME COLUMN "b" TO "c";', 'renames something'],
    ['ALTER TABLE "a" ADD COLUMN "b" text NOT NULL;', 'adds a column NOT NULL without a default'],
    ['ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL;', 'refuses null'],
    ['ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE bigint;', 'changes a type'],
  ])('refuses %s, unless the file says when it is safe', (sql, fault) => {
    const { status, stderr } = check(sql)
    expect(status).toBe(1)
    expect(stderr).toContain(`0020_new.sql: ${fault}`)

    expect(check(`-- safe after 0.2.0: nothing reads it since\n${sql}`).status).toBe(0)
  })
})

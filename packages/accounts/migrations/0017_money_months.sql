-- Unlogged, as a copy of what can be read again. A later migration that changes what a report is worth empties it.
CREATE UNLOGGED TABLE "money_months" (
	"until" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"question" text NOT NULL,
	"figures" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "billing_events_lasting" ON "billing_events" USING btree (coalesce("ends_at", 'infinity'),coalesce("from", "occurred_at")) WHERE "billing_events"."monthly" > 0 or "billing_events"."type" in ('paid', 'payment_failed', 'cancelled', 'ended');--> statement-breakpoint
CREATE INDEX "billing_events_said" ON "billing_events" USING btree ("occurred_at") WHERE "billing_events"."type" <> 'charged';--> statement-breakpoint
-- A charge that comes after its refund makes that one count, in a month that may lie before.
CREATE OR REPLACE FUNCTION fold_added_money() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform fold_money(array_agg(provider), array_agg(subscription_id))
    from (select distinct provider, subscription_id from added) changed;
  delete from money_months where until >= (
    select min(least(kept.occurred_at, kept."from")) from added join billing_events kept
      on kept.provider = added.provider and kept.subscription_id = added.subscription_id
      and (kept.id = added.id or added.type = 'charged' and kept.transaction_id = added.transaction_id)
  );
  return null;
end
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION forget_money() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  delete from money_months where until >= least(old.occurred_at, old."from");
  return null;
end
$$;--> statement-breakpoint
-- Not when an account is deleted: its reports count on.
CREATE TRIGGER billing_events_changed AFTER UPDATE OF account_id, plan_id ON "billing_events" FOR EACH ROW
  WHEN (old.plan_id IS DISTINCT FROM new.plan_id OR coalesce(old.person, old.account_id) IS NULL)
  EXECUTE FUNCTION forget_money();--> statement-breakpoint
CREATE TRIGGER billing_events_removed AFTER DELETE ON "billing_events" FOR EACH ROW
  WHEN (coalesce(old.person, old.account_id) IS NOT NULL) EXECUTE FUNCTION forget_money();

ALTER TABLE "billing_events" ADD COLUMN "monthly" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "before" text;--> statement-breakpoint
-- Fills what the other reports on its subscription make of a report, for these subscriptions; see `worthColumns`.
CREATE OR REPLACE FUNCTION fold_money(providers text[], names text[]) RETURNS void LANGUAGE sql AS $$
  with reports as (
    select provider, subscription_id, id, type, occurred_at, transaction_id, until,
      case when payout_currency is null then net else payout_net end as worth,
      case when type in ('paid', 'payment_failed', 'cancelled', 'ended') then 1
        when type = 'charged' and coalesce(origin, 'web') in ('web', 'api', 'subscription_recurring') then 2
        else 0 end as line,
      array_position(array['paid', 'payment_failed', 'cancelled', 'ended'], type) as rank,
      case type when 'charged' then coalesce("from", occurred_at) else occurred_at end as at
    from unnest(providers, names) wanted (provider, subscription_id) join billing_events using (provider, subscription_id)
  ), told as (
    select *, lead(at) over line as next, lag(type) over line as earlier,
      min(at) filter (where line = 2) over subscription as first,
      array_agg(transaction_id) filter (where type = 'refunded') over subscription as refunded,
      array_agg(at) filter (where type = 'refunded') over subscription as refunded_at,
      array_agg(at) filter (where type = 'ended') over subscription as ended_at
    from reports
    window line as (partition by provider, subscription_id, line order by at, occurred_at, rank, id collate "C"),
      subscription as (partition by provider, subscription_id)
  ), stopped as (
    select *, range_agg(tstzrange(at, next)) filter (where type = 'cancelled')
      over (partition by provider, subscription_id) as cancelled
    from told
  ), folded as (
    select provider, id, case line when 1 then earlier end as earlier,
      case line when 2 then round(worth::numeric
        / greatest(1, round(extract(epoch from until - at) / (30.44 * 86400))))::bigint end as monthly,
      case line when 1 then next when 2 then least(
        next,
        (select min(back.at) from unnest(refunded, refunded_at) back (id, at) where back.id = transaction_id),
        (select min(ended) from unnest(ended_at) ended where ended >= first),
        lower(cancelled * tstzmultirange(tstzrange(until, until + interval '7 days'))),
        until + interval '7 days'
      ) end as ends
    from stopped where line > 0
  )
  update billing_events event set before = earlier, monthly = folded.monthly, ends_at = ends
  from folded where event.provider = folded.provider and event.id = folded.id
    and (event.before, event.monthly, event.ends_at) is distinct from (earlier, folded.monthly, ends)
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION fold_added_money() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform fold_money(array_agg(provider), array_agg(subscription_id))
    from (select distinct provider, subscription_id from added) changed;
  return null;
end
$$;--> statement-breakpoint
CREATE TRIGGER billing_events_added AFTER INSERT ON "billing_events" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION fold_added_money();--> statement-breakpoint
SELECT fold_money(array_agg(provider), array_agg(subscription_id))
  FROM (SELECT DISTINCT provider, subscription_id FROM billing_events) kept;

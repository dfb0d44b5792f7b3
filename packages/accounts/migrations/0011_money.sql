CREATE TABLE "former_people" (
	"person" uuid PRIMARY KEY NOT NULL,
	"left_at" timestamp (3) with time zone NOT NULL,
	"trial_started_at" timestamp (3) with time zone,
	"trial_ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "billing_events" ALTER COLUMN "raw" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "person" uuid;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "origin" text;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "adjustment_id" text;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "net" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "tax" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "fee" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "payout_amount" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "payout_net" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "payout_tax" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "payout_fee" bigint;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "payout_currency" text;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "adjustment_id" text;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "net" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "tax" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "fee" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "payout_amount" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "payout_net" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "payout_tax" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "payout_fee" bigint;--> statement-breakpoint
ALTER TABLE "order_events" ADD COLUMN "payout_currency" text;--> statement-breakpoint
CREATE INDEX "former_people_left_at" ON "former_people" USING btree ("left_at");--> statement-breakpoint
ALTER TABLE "billing_events" ADD CONSTRAINT "billing_events_person_former_people_person_fk" FOREIGN KEY ("person") REFERENCES "public"."former_people"("person") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "billing_events_person" ON "billing_events" USING btree ("person") WHERE "billing_events"."person" is not null;--> statement-breakpoint
CREATE FUNCTION pg_temp.units(sums jsonb, name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
	$$ SELECT CASE WHEN sums ->> name ~ '^-?\d{1,15}$' THEN (sums ->> name)::bigint END $$;--> statement-breakpoint
CREATE FUNCTION pg_temp.moment(said text) RETURNS timestamptz LANGUAGE sql STABLE AS
	$$ SELECT CASE WHEN said ~ '^\d{4}-(0[1-9]|1[0-2])-([01]\d|2\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d' THEN said::timestamptz END $$;--> statement-breakpoint
UPDATE "billing_events" SET "origin" = "raw" #>> '{data,origin}',
	"from" = coalesce(pg_temp.moment("raw" #>> '{data,billing_period,starts_at}'), "occurred_at") WHERE "type" = 'charged';--> statement-breakpoint
DO $$ DECLARE reports text; BEGIN FOREACH reports IN ARRAY ARRAY['billing_events', 'order_events'] LOOP EXECUTE format('
	UPDATE %1$I SET "adjustment_id" = CASE WHEN "type" <> ''charged'' THEN "raw" #>> ''{data,id}'' END,
		"amount" = coalesce("amount", pg_temp.units(own, ''total'')), "currency" = coalesce("currency", own ->> ''currency_code''),
		"net" = coalesce(pg_temp.units(own, ''total''), "amount") - coalesce(pg_temp.units(own, ''tax''), 0),
		"tax" = coalesce(pg_temp.units(own, ''tax''), 0), "fee" = pg_temp.units(own, ''fee''),
		"payout_amount" = coalesce(pg_temp.units(payout, ''grand_total''), pg_temp.units(payout, ''total'')),
		"payout_net" = pg_temp.units(payout, ''total'') - pg_temp.units(payout, ''tax''),
		"payout_tax" = pg_temp.units(payout, ''tax''), "payout_fee" = pg_temp.units(payout, ''fee''),
		"payout_currency" = CASE WHEN pg_temp.units(payout, ''total'') IS NOT NULL THEN payout ->> ''currency_code'' END
	FROM (SELECT "provider" AS of, "id" AS report,
		coalesce("raw" #> ''{data,details,totals}'', "raw" #> ''{data,totals}'') AS own,
		coalesce("raw" #> ''{data,details,payout_totals}'', "raw" #> ''{data,payout_totals}'') AS payout
		FROM %1$I WHERE "type" IN (''charged'', ''refunded'', ''charged_back'')) told
	WHERE "provider" = told.of AND "id" = told.report', reports); END LOOP; END $$;

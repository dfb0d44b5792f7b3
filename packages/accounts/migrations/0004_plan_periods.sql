ALTER TABLE "delivered_counts" ADD COLUMN "plan_in_force_id" uuid;--> statement-breakpoint
UPDATE "delivered_counts" SET "plan_in_force_id" = (
	SELECT "id" FROM "subscriptions"
	WHERE "subscriptions"."account_id" = "delivered_counts"."account_id"
		AND ("subscriptions"."started_at" AT TIME ZONE 'UTC')::date <= "delivered_counts"."period"
	ORDER BY "ended_at" IS NULL DESC, array_position(ARRAY['grant', 'paid', 'trial'], "kind"), "started_at" DESC
	LIMIT 1
);--> statement-breakpoint
DELETE FROM "delivered_counts" WHERE "plan_in_force_id" IS NULL;--> statement-breakpoint
ALTER TABLE "delivered_counts" ALTER COLUMN "plan_in_force_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "delivered_counts" DROP CONSTRAINT "delivered_counts_account_id_period_kind_pk";--> statement-breakpoint
ALTER TABLE "delivered_counts" ADD CONSTRAINT "delivered_counts_account_id_plan_in_force_id_period_kind_pk" PRIMARY KEY("account_id","plan_in_force_id","period","kind");

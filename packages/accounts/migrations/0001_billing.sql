CREATE TABLE "billing_events" (
	"provider" text NOT NULL,
	"id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"customer_id" text,
	"account_id" uuid,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"plan_id" integer,
	"until" timestamp (3) with time zone,
	"transaction_id" text,
	"amount" bigint,
	"currency" text,
	"raw" jsonb NOT NULL,
	CONSTRAINT "billing_events_provider_id_pk" PRIMARY KEY("provider","id")
);
--> statement-breakpoint
DROP INDEX "subscriptions_one_running";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "renews_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "state" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "provider" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "provider_subscription_id" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "provider_customer_id" text;--> statement-breakpoint
ALTER TABLE "billing_events" ADD CONSTRAINT "billing_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "billing_events_subscription" ON "billing_events" USING btree ("provider","subscription_id");--> statement-breakpoint
CREATE INDEX "billing_events_account" ON "billing_events" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_provider" ON "subscriptions" USING btree ("provider","provider_subscription_id");--> statement-breakpoint
CREATE INDEX "subscriptions_ends_at" ON "subscriptions" USING btree ("ends_at") WHERE "subscriptions"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_running" ON "subscriptions" USING btree ("account_id","kind") WHERE "subscriptions"."ended_at" is null and "subscriptions"."kind" <> 'paid';
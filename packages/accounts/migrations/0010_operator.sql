CREATE TABLE "acts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"via" text NOT NULL,
	"verb" text NOT NULL,
	"account_id" uuid,
	"reason" text,
	"changes" jsonb NOT NULL,
	"outcome" text NOT NULL,
	"address" text
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" serial PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"author" text NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "seen_address" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspension_reason" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspension_message" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "events_30d" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "faults_24h" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "seen_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "status_items" ADD COLUMN "kind" text DEFAULT 'notice' NOT NULL;--> statement-breakpoint
ALTER TABLE "status_items" ADD COLUMN "starts_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "status_items" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "acts_account" ON "acts" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "acts_at" ON "acts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "notes_account" ON "notes" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "accounts_created_at" ON "accounts" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "accounts_seen_at" ON "accounts" USING btree (coalesce("seen_at", to_timestamp(0)),"id");--> statement-breakpoint
CREATE INDEX "accounts_events" ON "accounts" USING btree ("events_30d","id");--> statement-breakpoint
CREATE INDEX "accounts_faults" ON "accounts" USING btree ("faults_24h","id");--> statement-breakpoint
CREATE INDEX "billing_events_transaction" ON "billing_events" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "subscriptions_provider_subscription" ON "subscriptions" USING btree ("provider_subscription_id");--> statement-breakpoint
CREATE INDEX "subscriptions_provider_customer" ON "subscriptions" USING btree ("provider_customer_id");
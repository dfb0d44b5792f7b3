ALTER TABLE "billing_events" ADD COLUMN "account_gone" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "price_ids" text[];--> statement-breakpoint
CREATE INDEX "billing_events_unknown_price" ON "billing_events" USING btree ("provider","subscription_id") WHERE "billing_events"."plan_id" is null and "billing_events"."type" in ('paid', 'payment_failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "billing_events_account_gone" ON "billing_events" USING btree ("provider","subscription_id") WHERE "billing_events"."account_gone";--> statement-breakpoint
UPDATE "billing_events" SET "occurred_at" = "received_at" WHERE "occurred_at" > "received_at" + interval '30 seconds';

CREATE TABLE "delivered_days" (
	"account_id" uuid NOT NULL,
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "delivered_days_account_id_day_kind_pk" PRIMARY KEY("account_id","day","kind")
);
--> statement-breakpoint
CREATE TABLE "stream_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"address" text NOT NULL,
	"client" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"ended" text,
	"sent_events" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "status_items" ADD COLUMN "cleared_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "stream_connections_account" ON "stream_connections" USING btree ("account_id","seen_at");--> statement-breakpoint
CREATE INDEX "stream_connections_seen_at" ON "stream_connections" USING btree ("seen_at");
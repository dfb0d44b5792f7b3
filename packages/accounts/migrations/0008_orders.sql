CREATE TABLE "order_downloads" (
	"order_id" integer NOT NULL,
	"hour" text NOT NULL,
	CONSTRAINT "order_downloads_order_id_hour_pk" PRIMARY KEY("order_id","hour")
);
--> statement-breakpoint
CREATE TABLE "order_events" (
	"provider" text NOT NULL,
	"id" text NOT NULL,
	"transaction_id" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"price_id" text,
	"amount" bigint,
	"currency" text,
	"raw" jsonb,
	CONSTRAINT "order_events_provider_id_pk" PRIMARY KEY("provider","id")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" integer PRIMARY KEY NOT NULL,
	"account_id" uuid,
	"source" text NOT NULL,
	"offer" text NOT NULL,
	"from_hour" timestamp (3) with time zone NOT NULL,
	"to_hour" timestamp (3) with time zone NOT NULL,
	"usd" integer NOT NULL,
	"state" text NOT NULL,
	"provider" text,
	"transaction_id" text,
	"price_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	"ready_at" timestamp (3) with time zone,
	"is_short" boolean DEFAULT false NOT NULL,
	"is_owed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "order_downloads" ADD CONSTRAINT "order_downloads_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "order_events_transaction" ON "order_events" USING btree ("provider","transaction_id");--> statement-breakpoint
CREATE INDEX "orders_account" ON "orders" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_state" ON "orders" USING btree ("state","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "orders_transaction" ON "orders" USING btree ("provider","transaction_id");
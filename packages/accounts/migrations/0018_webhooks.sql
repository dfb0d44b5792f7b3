CREATE TABLE "webhook_dead_letters" (
	"endpoint_id" text NOT NULL,
	"n" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"message" jsonb NOT NULL,
	"status" integer,
	"body" text NOT NULL,
	"queued_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_dead_letters_endpoint_id_n_pk" PRIMARY KEY("endpoint_id","n")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"url" text NOT NULL,
	"kind" text NOT NULL,
	"params" jsonb NOT NULL,
	"max_events" integer NOT NULL,
	"max_wait_ms" integer NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"secret_sealed" text NOT NULL,
	"old_secret_sealed" text,
	"old_secret_until" timestamp (3) with time zone,
	"revision" integer DEFAULT 0 NOT NULL,
	"owner" uuid,
	"place" text NOT NULL,
	"behind_since" timestamp (3) with time zone NOT NULL,
	"n" bigint DEFAULT 0 NOT NULL,
	"message" jsonb,
	"tries" integer DEFAULT 0 NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"dead_in_row" integer DEFAULT 0 NOT NULL,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"dead_letters" bigint DEFAULT 0 NOT NULL,
	"last_attempt" jsonb
);
--> statement-breakpoint
ALTER TABLE "webhook_dead_letters" ADD CONSTRAINT "webhook_dead_letters_endpoint_id_webhooks_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhooks_account" ON "webhooks" USING btree ("account_id","created_at");
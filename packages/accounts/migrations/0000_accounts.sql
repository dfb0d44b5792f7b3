CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_normalised" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"origin" text,
	"marketing_emails" boolean NOT NULL,
	"key_hash" text NOT NULL,
	"key_sealed" text NOT NULL,
	CONSTRAINT "accounts_email_normalised_unique" UNIQUE("email_normalised"),
	CONSTRAINT "accounts_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "delivered_counts" (
	"account_id" uuid NOT NULL,
	"period" date NOT NULL,
	"kind" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "delivered_counts_account_id_period_kind_pk" PRIMARY KEY("account_id","period","kind")
);
--> statement-breakpoint
CREATE TABLE "login_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "status_items" (
	"id" serial PRIMARY KEY NOT NULL,
	"details" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"plan_id" integer NOT NULL,
	"connection_limit" integer,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "subscriptions_kind" CHECK ("subscriptions"."kind" in ('trial', 'paid', 'grant')),
	CONSTRAINT "subscriptions_connection_limit" CHECK ("subscriptions"."connection_limit" > 0)
);
--> statement-breakpoint
CREATE TABLE "used_captchas" (
	"signature_hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_trials" (
	"email_hash" text PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "login_tokens" ADD CONSTRAINT "login_tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "login_tokens_expires_at" ON "login_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "login_tokens_account" ON "login_tokens" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "subscriptions_account" ON "subscriptions" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_running" ON "subscriptions" USING btree ("account_id","kind") WHERE "subscriptions"."ended_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_trial" ON "subscriptions" USING btree ("account_id") WHERE "subscriptions"."kind" = 'trial';--> statement-breakpoint
CREATE INDEX "used_captchas_expires_at" ON "used_captchas" USING btree ("expires_at");
CREATE TABLE "refused_upgrades" (
	"account_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"refusal" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "refused_upgrades_account_id_hour_refusal_pk" PRIMARY KEY("account_id","hour","refusal")
);
--> statement-breakpoint
ALTER TABLE "stream_connections" ADD COLUMN "faults" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "refused_upgrades_hour" ON "refused_upgrades" USING btree ("hour");
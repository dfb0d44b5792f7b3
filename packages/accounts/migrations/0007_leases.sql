CREATE TABLE "gateways" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"lapsed_at" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"owner" uuid NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stream_seats" (
	"connection_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"gateway_id" uuid NOT NULL
);
--> statement-breakpoint
ALTER TABLE "stream_seats" ADD CONSTRAINT "stream_seats_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "stream_seats_account" ON "stream_seats" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "stream_seats_gateway" ON "stream_seats" USING btree ("gateway_id");
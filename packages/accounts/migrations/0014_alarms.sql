CREATE TABLE "alarms" (
	"name" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"since" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone
);

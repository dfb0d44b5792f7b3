CREATE TABLE "counted_batches" (
	"counter" uuid PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);

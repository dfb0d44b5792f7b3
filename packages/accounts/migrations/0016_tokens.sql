CREATE TABLE "operator_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"verbs" text[],
	"from_addresses" text,
	"until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_tokens_name_unique" UNIQUE("name")
);

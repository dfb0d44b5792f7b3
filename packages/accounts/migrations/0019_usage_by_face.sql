ALTER TABLE "delivered_days" ADD COLUMN "http" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "delivered_days" ADD COLUMN "webhooks" bigint DEFAULT 0 NOT NULL;
-- Bounds of redeliver, and the secrets that sign besides the previous one
ALTER TABLE "Webhook" ADD COLUMN "redeliveredAt" TIMESTAMP(3);
ALTER TABLE "Webhook" ADD COLUMN "redelivered" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Webhook" ADD COLUMN "redeliveredBytes" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Webhook" ADD COLUMN "redeliverUntil" TIMESTAMP(3);
ALTER TABLE "Webhook" ADD COLUMN "olderSecrets" TEXT;

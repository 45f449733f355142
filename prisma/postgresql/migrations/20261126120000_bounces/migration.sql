ALTER TABLE "EmailRecipient" ADD COLUMN "bouncedAt" TIMESTAMP(3);
ALTER TABLE "EmailRecipient" ADD COLUMN "bounceKind" TEXT COLLATE "C";
ALTER TABLE "EmailRecipient" ADD COLUMN "bounceCode" TEXT;
ALTER TABLE "EmailRecipient" ADD COLUMN "bounceDiagnostic" TEXT;

-- How often an address bounced softly of late.
CREATE INDEX "EmailRecipient_soft_idx" ON "EmailRecipient"("tenantId", "address", "bouncedAt") WHERE "bounceKind" = 'SOFT';

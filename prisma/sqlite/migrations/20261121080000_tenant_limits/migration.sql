-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN "maxStoredBytes" BIGINT;
ALTER TABLE "Tenant" ADD COLUMN "maxFiles" BIGINT;
ALTER TABLE "Tenant" ADD COLUMN "maxWaitingMessages" BIGINT;
ALTER TABLE "Tenant" ADD COLUMN "maxTemplates" BIGINT;
ALTER TABLE "Tenant" ADD COLUMN "maxStylesheets" BIGINT;
ALTER TABLE "Tenant" ADD COLUMN "maxMailsPerDay" BIGINT;

-- What waits for a recipient, with its expiry, so that it can be counted from the index alone
DROP INDEX "Message_waiting_idx";
CREATE INDEX "Message_waiting_idx" ON "Message"("tenantId", "recipientKey", "pushId", "expiresAt") WHERE "status" = 'PENDING' AND NOT "isGlobal";

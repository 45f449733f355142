-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN     "maxStoredBytes" BIGINT,
ADD COLUMN     "maxFiles" BIGINT,
ADD COLUMN     "maxWaitingMessages" BIGINT,
ADD COLUMN     "maxTemplates" BIGINT,
ADD COLUMN     "maxStylesheets" BIGINT,
ADD COLUMN     "maxMailsPerDay" BIGINT;

-- What waits for a recipient, with its expiry, so that it can be counted from the index alone
DROP INDEX "Message_waiting_idx";
CREATE INDEX "Message_waiting_idx" ON "Message"("tenantId", "recipientKey", "pushId", "expiresAt") WHERE "status" = 'PENDING' AND NOT "isGlobal";

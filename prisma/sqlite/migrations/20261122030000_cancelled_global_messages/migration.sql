-- AlterTable
ALTER TABLE "GlobalMessage" ADD COLUMN "cancelledAt" DATETIME;

-- What waits, without what was cancelled
CREATE INDEX "GlobalMessage_waiting_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL AND "cancelledAt" IS NULL;

-- Those whose parts are still to be cancelled are among the last
CREATE INDEX "GlobalMessage_cancelled_idx" ON "GlobalMessage"("cancelledAt") WHERE "cancelledAt" IS NOT NULL;

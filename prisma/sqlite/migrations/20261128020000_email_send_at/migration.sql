ALTER TABLE "Email" ADD COLUMN "sendAt" DATETIME;

-- With the time to send at, so that the mails that wait are counted without the scheduled ones by the index alone
DROP INDEX "Email_status_dueAt_id_idx";
CREATE INDEX "Email_status_dueAt_id_sendAt_idx" ON "Email"("status", "dueAt", "id", "sendAt");

CREATE INDEX "Email_scheduled_idx" ON "Email"("tenantId", "id", "sendAt") WHERE "status" = 'QUEUED' AND "sendAt" IS NOT NULL;

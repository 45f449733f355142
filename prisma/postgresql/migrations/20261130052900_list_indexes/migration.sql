-- Indexes of lists by filters that no index served

-- Messages by any status. DELIVERED was missing.
DROP INDEX "Message_tenantId_status_idx";
CREATE INDEX "Message_tenantId_status_idx" ON "Message"("tenantId", "status", "pushId", "recipientKey");

-- Messages by expiry, instead of all that expire
DROP INDEX "Message_tenantId_expiring_idx";
CREATE INDEX "Message_tenantId_expiresAt_idx" ON "Message"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL;

-- Mails that are not scheduled
CREATE INDEX "Email_unscheduled_idx" ON "Email"("tenantId", "id") WHERE "status" <> 'QUEUED' OR "sendAt" IS NULL OR "attempts" <> 0;

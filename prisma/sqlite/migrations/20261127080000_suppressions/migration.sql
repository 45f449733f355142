ALTER TABLE "EmailRecipient" ADD COLUMN "suppressed" TEXT;
ALTER TABLE "Email" ADD COLUMN "list" TEXT;
ALTER TABLE "Email" ADD COLUMN "unsubscribeUrl" TEXT;
ALTER TABLE "Email" ADD COLUMN "ignoredReasons" TEXT;

CREATE TABLE "EmailSuppression" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "emailId" TEXT,
    "diagnostic" TEXT
);

CREATE UNIQUE INDEX "EmailSuppression_tenantId_address_list_reason_key" ON "EmailSuppression"("tenantId", "address", "list", "reason");

CREATE INDEX "EmailSuppression_tenantId_id_idx" ON "EmailSuppression"("tenantId", "id");

CREATE INDEX "EmailSuppression_tenantId_reason_id_idx" ON "EmailSuppression"("tenantId", "reason", "id");

CREATE INDEX "EmailSuppression_tenantId_list_id_idx" ON "EmailSuppression"("tenantId", "list", "id");

CREATE INDEX "EmailSuppression_tenantId_list_reason_id_idx" ON "EmailSuppression"("tenantId", "list", "reason", "id");

CREATE INDEX "EmailSuppression_end_idx" ON "EmailSuppression"("expiresAt") WHERE "expiresAt" IS NOT NULL;

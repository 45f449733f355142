ALTER TABLE "EmailRecipient" ADD COLUMN "suppressed" TEXT COLLATE "C";
ALTER TABLE "Email" ADD COLUMN "list" TEXT COLLATE "C";
ALTER TABLE "Email" ADD COLUMN "unsubscribeUrl" TEXT;
ALTER TABLE "Email" ADD COLUMN "ignoredReasons" TEXT;

CREATE TABLE "EmailSuppression" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "list" TEXT COLLATE "C" NOT NULL,
    "reason" TEXT COLLATE "C" NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "emailId" TEXT COLLATE "C",
    "diagnostic" TEXT,

    CONSTRAINT "EmailSuppression_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "EmailSuppression_tenantId_address_list_reason_key" ON "EmailSuppression"("tenantId", "address", "list", "reason");

CREATE INDEX "EmailSuppression_tenantId_id_idx" ON "EmailSuppression"("tenantId", "id");

CREATE INDEX "EmailSuppression_tenantId_reason_id_idx" ON "EmailSuppression"("tenantId", "reason", "id");

CREATE INDEX "EmailSuppression_tenantId_list_id_idx" ON "EmailSuppression"("tenantId", "list", "id");

CREATE INDEX "EmailSuppression_tenantId_list_reason_id_idx" ON "EmailSuppression"("tenantId", "list", "reason", "id");

CREATE INDEX "EmailSuppression_end_idx" ON "EmailSuppression"("expiresAt") WHERE "expiresAt" IS NOT NULL;

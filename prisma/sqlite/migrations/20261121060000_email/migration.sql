-- CreateTable
CREATE TABLE "Email" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "fromAddress" TEXT NOT NULL,
    "fromName" TEXT,
    "replyToAddress" TEXT,
    "replyToName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "lastError" TEXT,
    "createdAt" DATETIME NOT NULL,
    "sentAt" DATETIME,
    "giveUpAt" DATETIME NOT NULL,
    "dueAt" DATETIME NOT NULL,
    "leaseHolder" TEXT,
    "idempotencyKey" TEXT,
    "inputHash" TEXT,
    "hasAttachments" BOOLEAN NOT NULL
);

-- CreateTable
CREATE TABLE "EmailRecipient" (
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "name" TEXT,
    "status" TEXT NOT NULL,
    "lastError" TEXT,

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "EmailAttachment" (
    "emailId" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,

    PRIMARY KEY ("emailId", "position"),
    CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "EmailIdentity" (
    "tenantId" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "tokenExpiresAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "verifiedAt" DATETIME,

    PRIMARY KEY ("tenantId", "address")
);

-- CreateTable
CREATE TABLE "EmailValidationCount" (
    "address" TEXT NOT NULL PRIMARY KEY,
    "day" TEXT NOT NULL,
    "mails" INTEGER NOT NULL
);

-- CreateTable
CREATE TABLE "BlobPin" (
    "blobKey" TEXT NOT NULL,
    "holderId" TEXT NOT NULL,

    PRIMARY KEY ("blobKey", "holderId")
);

-- CreateIndex
CREATE INDEX "Email_tenantId_id_idx" ON "Email"("tenantId", "id");

-- CreateIndex
CREATE INDEX "Email_tenantId_status_id_idx" ON "Email"("tenantId", "status", "id");

-- CreateIndex
CREATE INDEX "Email_status_dueAt_id_idx" ON "Email"("status", "dueAt", "id");

-- CreateIndex
CREATE UNIQUE INDEX "Email_tenantId_idempotencyKey_key" ON "Email"("tenantId", "idempotencyKey") WHERE "idempotencyKey" IS NOT NULL;

-- CreateIndex
CREATE INDEX "EmailRecipient_tenantId_address_emailId_idx" ON "EmailRecipient"("tenantId", "address", "emailId");

-- CreateIndex
CREATE UNIQUE INDEX "EmailIdentity_tokenHash_key" ON "EmailIdentity"("tokenHash");

-- CreateIndex
CREATE INDEX "EmailValidationCount_day_idx" ON "EmailValidationCount"("day");

-- CreateIndex
CREATE INDEX "BlobPin_holderId_idx" ON "BlobPin"("holderId");

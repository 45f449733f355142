-- CreateEnum
CREATE TYPE "StoredEmailStatus" AS ENUM ('QUEUED', 'SENT', 'FAILED');

-- CreateEnum
CREATE TYPE "EmailRecipientKind" AS ENUM ('to', 'cc', 'bcc');

-- CreateEnum
CREATE TYPE "StoredIdentityStatus" AS ENUM ('PENDING', 'VERIFIED');

-- CreateTable
CREATE TABLE "Email" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "messageId" TEXT NOT NULL,
    "fromAddress" TEXT NOT NULL,
    "fromName" TEXT,
    "replyToAddress" TEXT,
    "replyToName" TEXT,
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "status" "StoredEmailStatus" NOT NULL,
    "attempts" INTEGER NOT NULL,
    "lastError" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "sentAt" TIMESTAMP(3),
    "giveUpAt" TIMESTAMP(3) NOT NULL,
    "dueAt" TIMESTAMP(3) NOT NULL,
    "leaseHolder" TEXT,
    "idempotencyKey" TEXT COLLATE "C",
    "inputHash" TEXT,
    "hasAttachments" BOOLEAN NOT NULL,

    CONSTRAINT "Email_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "EmailRecipient" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "kind" "EmailRecipientKind" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "status" "StoredEmailStatus" NOT NULL,
    "lastError" TEXT,

    CONSTRAINT "EmailRecipient_pkey" PRIMARY KEY ("emailId","position")
);

-- CreateTable
CREATE TABLE "EmailAttachment" (
    "emailId" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "blobKey" TEXT COLLATE "C" NOT NULL,
    "contentType" TEXT NOT NULL,
    "sizeBytes" INTEGER NOT NULL,

    CONSTRAINT "EmailAttachment_pkey" PRIMARY KEY ("emailId","position")
);

-- CreateTable
CREATE TABLE "EmailIdentity" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "status" "StoredIdentityStatus" NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "tokenExpiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "verifiedAt" TIMESTAMP(3),

    CONSTRAINT "EmailIdentity_pkey" PRIMARY KEY ("tenantId","address")
);

-- CreateTable
CREATE TABLE "EmailValidationCount" (
    "address" TEXT COLLATE "C" NOT NULL,
    "day" TEXT COLLATE "C" NOT NULL,
    "mails" INTEGER NOT NULL,

    CONSTRAINT "EmailValidationCount_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "BlobPin" (
    "blobKey" TEXT COLLATE "C" NOT NULL,
    "holderId" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "BlobPin_pkey" PRIMARY KEY ("blobKey","holderId")
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

-- AddForeignKey
ALTER TABLE "EmailRecipient" ADD CONSTRAINT "EmailRecipient_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "EmailAttachment" ADD CONSTRAINT "EmailAttachment_emailId_fkey" FOREIGN KEY ("emailId") REFERENCES "Email"("id") ON DELETE CASCADE ON UPDATE CASCADE;

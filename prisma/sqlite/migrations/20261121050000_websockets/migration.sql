-- CreateTable
CREATE TABLE "Message" (
    "tenantId" TEXT NOT NULL,
    "pushId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "recipient" TEXT,
    "message" TEXT,
    "topic" TEXT,
    "status" TEXT NOT NULL,
    "expiresAt" DATETIME,
    "sentAt" DATETIME,
    "deliveredAt" DATETIME,
    "cancelledAt" DATETIME,
    "isGlobal" BOOLEAN NOT NULL,

    PRIMARY KEY ("tenantId", "pushId", "recipientKey")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "GlobalMessage" (
    "tenantId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "topic" TEXT,
    "expiresAt" DATETIME,

    PRIMARY KEY ("tenantId", "id")
);

-- CreateTable
CREATE TABLE "PushKey" (
    "tenantId" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "operation", "key")
);

-- CreateTable
CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT NOT NULL,
    "recipientKey" TEXT NOT NULL,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "recipientKey")
);

-- CreateIndex
CREATE INDEX "PushKey_createdAt_idx" ON "PushKey"("createdAt");

-- CreateIndex
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- What callers filter by. The first 100 characters of a topic: an index of PostgreSQL holds no more than 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", substr("topic", 1, 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;
-- Of global messages none: each would be written to as many places as there are recipients. They are found by the primary key.
CREATE INDEX "Message_tenantId_recipientKey_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE NOT "isGlobal";
CREATE INDEX "Message_tenantId_status_idx" ON "Message"("tenantId", "status", "pushId", "recipientKey") WHERE "status" <> 'DELIVERED';
CREATE INDEX "Message_tenantId_expiring_idx" ON "Message"("tenantId", "pushId", "recipientKey") WHERE "expiresAt" IS NOT NULL;
CREATE INDEX "GlobalMessage_tenantId_topic_id_idx" ON "GlobalMessage"("tenantId", substr("topic", 1, 100), "id") WHERE "topic" IS NOT NULL;

-- What waits for a recipient.
CREATE INDEX "Message_waiting_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE "status" = 'PENDING' AND NOT "isGlobal";
CREATE INDEX "GlobalMessage_tenantId_expiresAt_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL;

-- What the sweeper looks for: what expires, and what could not wait.
CREATE INDEX "Message_expiring_idx" ON "Message"("expiresAt") WHERE "status" = 'PENDING' AND "expiresAt" IS NOT NULL;
CREATE INDEX "Message_fleeting_idx" ON "Message"("pushId") WHERE "status" = 'PENDING' AND "expiresAt" IS NULL;

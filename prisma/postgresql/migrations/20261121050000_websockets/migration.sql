-- CreateTable
CREATE TABLE "Message" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "pushId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "recipient" TEXT,
    "message" TEXT,
    "topic" TEXT COLLATE "C",
    "status" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "sentAt" TIMESTAMP(3),
    "deliveredAt" TIMESTAMP(3),
    "cancelledAt" TIMESTAMP(3),
    "isGlobal" BOOLEAN NOT NULL,

    CONSTRAINT "Message_pkey" PRIMARY KEY ("tenantId", "pushId", "recipientKey")
);

-- CreateTable
CREATE TABLE "GlobalMessage" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "message" TEXT NOT NULL,
    "topic" TEXT COLLATE "C",
    "expiresAt" TIMESTAMP(3),

    CONSTRAINT "GlobalMessage_pkey" PRIMARY KEY ("tenantId", "id")
);

-- CreateTable
CREATE TABLE "PushKey" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "inputHash" TEXT NOT NULL,
    "result" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "PushKey_pkey" PRIMARY KEY ("tenantId", "operation", "key")
);

-- CreateTable
CREATE TABLE "RecipientCutoff" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "recipientKey" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "RecipientCutoff_pkey" PRIMARY KEY ("tenantId", "recipientKey")
);

-- CreateIndex
CREATE INDEX "PushKey_createdAt_idx" ON "PushKey"("createdAt");

-- CreateIndex
CREATE INDEX "RecipientCutoff_at_idx" ON "RecipientCutoff"("at");

-- What callers filter by. The first 100 characters of a topic: an index of PostgreSQL holds no more than 2,704 bytes.
CREATE INDEX "Message_tenantId_topic_idx" ON "Message"("tenantId", left("topic", 100), "pushId", "recipientKey") WHERE "topic" IS NOT NULL;
-- Of global messages none: each would be written to as many places as there are recipients. They are found by the primary key.
CREATE INDEX "Message_tenantId_recipientKey_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE NOT "isGlobal";
CREATE INDEX "Message_tenantId_status_idx" ON "Message"("tenantId", "status", "pushId", "recipientKey") WHERE "status" <> 'DELIVERED';
CREATE INDEX "Message_tenantId_expiring_idx" ON "Message"("tenantId", "pushId", "recipientKey") WHERE "expiresAt" IS NOT NULL;
CREATE INDEX "GlobalMessage_tenantId_topic_id_idx" ON "GlobalMessage"("tenantId", left("topic", 100), "id") WHERE "topic" IS NOT NULL;

-- What waits for a recipient.
CREATE INDEX "Message_waiting_idx" ON "Message"("tenantId", "recipientKey", "pushId") WHERE "status" = 'PENDING' AND NOT "isGlobal";
CREATE INDEX "GlobalMessage_tenantId_expiresAt_idx" ON "GlobalMessage"("tenantId", "expiresAt") WHERE "expiresAt" IS NOT NULL;

-- What the sweeper looks for: what expires, and what could not wait.
CREATE INDEX "Message_expiring_idx" ON "Message"("expiresAt") WHERE "status" = 'PENDING' AND "expiresAt" IS NOT NULL;
CREATE INDEX "Message_fleeting_idx" ON "Message"("pushId") WHERE "status" = 'PENDING' AND "expiresAt" IS NULL;

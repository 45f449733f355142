CREATE TABLE "Webhook" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "service" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "description" TEXT,
    "secret" TEXT NOT NULL,
    "previousSecret" TEXT,
    "previousSecretUntil" TIMESTAMP(3),
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "failingSince" TIMESTAMP(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "lastDeliveredAt" TIMESTAMP(3),
    "pausedUntil" TIMESTAMP(3),
    "disabledAt" TIMESTAMP(3),
    "leaseHolder" TEXT,
    "leaseUntil" TIMESTAMP(3),

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "Webhook_tenantId_service_id_idx" ON "Webhook"("tenantId", "service", "id");

CREATE TABLE "Event" (
    "webhookId" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "bodyBytes" INTEGER NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "dueAt" TIMESTAMP(3),
    "attemptedAt" TIMESTAMP(3),
    "responseStatus" INTEGER,
    "answer" TEXT,
    "durationMs" INTEGER,
    "lastError" TEXT,

    CONSTRAINT "Event_pkey" PRIMARY KEY ("webhookId", "id")
);
CREATE INDEX "Event_webhookId_type_id_idx" ON "Event"("webhookId", "type", "id");
CREATE INDEX "Event_tenantId_id_idx" ON "Event"("tenantId", "id");
-- What is due, and what is listed by a status that few have.
CREATE INDEX "Event_due_idx" ON "Event"("webhookId", "dueAt", "id") WHERE "status" = 'PENDING' AND "dueAt" IS NOT NULL;
CREATE INDEX "Event_undelivered_idx" ON "Event"("webhookId", "status", "id") WHERE "status" <> 'DELIVERED';

ALTER TABLE "Tenant" ADD COLUMN "eventRetentionDays" INTEGER;

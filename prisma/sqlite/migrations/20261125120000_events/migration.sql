CREATE TABLE "Webhook" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "description" TEXT,
    "secret" TEXT NOT NULL,
    "previousSecret" TEXT,
    "previousSecretUntil" DATETIME,
    "updatedAt" DATETIME NOT NULL,
    "failingSince" DATETIME,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "lastDeliveredAt" DATETIME,
    "pausedUntil" DATETIME,
    "disabledAt" DATETIME,
    "leaseHolder" TEXT,
    "leaseUntil" DATETIME
);
CREATE INDEX "Webhook_tenantId_service_id_idx" ON "Webhook"("tenantId", "service", "id");

CREATE TABLE "Event" (
    "webhookId" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "bodyBytes" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "dueAt" DATETIME,
    "attemptedAt" DATETIME,
    "responseStatus" INTEGER,
    "answer" TEXT,
    "durationMs" INTEGER,
    "lastError" TEXT,

    PRIMARY KEY ("webhookId", "id")
);
CREATE INDEX "Event_webhookId_type_id_idx" ON "Event"("webhookId", "type", "id");
CREATE INDEX "Event_tenantId_id_idx" ON "Event"("tenantId", "id");
-- What is due, and what is listed by a status that few have.
CREATE INDEX "Event_due_idx" ON "Event"("webhookId", "dueAt", "id") WHERE "status" = 'PENDING' AND "dueAt" IS NOT NULL;
CREATE INDEX "Event_undelivered_idx" ON "Event"("webhookId", "status", "id") WHERE "status" <> 'DELIVERED';

ALTER TABLE "Tenant" ADD COLUMN "eventRetentionDays" INTEGER;

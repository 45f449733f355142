CREATE TABLE "LogStream" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "secret" TEXT,
    "format" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "updatedAt" DATETIME NOT NULL,
    "position" BIGINT NOT NULL,
    "deliveredTo" DATETIME,
    "lastDeliveredAt" DATETIME,
    "failingSince" DATETIME,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "notBefore" DATETIME,
    "leaseHolder" TEXT,
    "leaseUntil" DATETIME
);
CREATE INDEX "LogStream_tenantId_id_idx" ON "LogStream"("tenantId", "id");

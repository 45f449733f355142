CREATE TABLE "LogStream" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "secret" TEXT,
    "format" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "position" BIGINT NOT NULL,
    "deliveredTo" TIMESTAMP(3),
    "lastDeliveredAt" TIMESTAMP(3),
    "failingSince" TIMESTAMP(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lastError" TEXT,
    "notBefore" TIMESTAMP(3),
    "leaseHolder" TEXT,
    "leaseUntil" TIMESTAMP(3),
    CONSTRAINT "LogStream_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "LogStream_tenantId_id_idx" ON "LogStream"("tenantId", "id");

CREATE TABLE "RequestCount" (
    "tenantId" TEXT COLLATE "C" NOT NULL,
    "hour" TIMESTAMP(3) NOT NULL,
    "service" TEXT COLLATE "C" NOT NULL,
    "keyId" TEXT COLLATE "C" NOT NULL,
    "code" TEXT COLLATE "C" NOT NULL,
    "requests" INTEGER NOT NULL,

    CONSTRAINT "RequestCount_pkey" PRIMARY KEY ("tenantId", "hour", "service", "keyId", "code")
);
CREATE INDEX "RequestCount_hour_idx" ON "RequestCount"("hour");

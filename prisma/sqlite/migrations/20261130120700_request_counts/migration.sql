CREATE TABLE "RequestCount" (
    "tenantId" TEXT NOT NULL,
    "hour" DATETIME NOT NULL,
    "service" TEXT NOT NULL,
    "keyId" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "requests" INTEGER NOT NULL,

    PRIMARY KEY ("tenantId", "hour", "service", "keyId", "code")
);
CREATE INDEX "RequestCount_hour_idx" ON "RequestCount"("hour");

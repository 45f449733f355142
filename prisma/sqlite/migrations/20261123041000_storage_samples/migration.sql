-- CreateTable
CREATE TABLE "StorageSample" (
    "tenantId" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "sweepAt" DATETIME NOT NULL,

    PRIMARY KEY ("tenantId", "at")
);

-- CreateIndex
CREATE INDEX "StorageSample_sweepAt_idx" ON "StorageSample"("sweepAt");

-- CreateTable
CREATE TABLE "StorageSample" (
    "tenantId" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "sweepAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "StorageSample_pkey" PRIMARY KEY ("tenantId","at")
);

-- CreateIndex
CREATE INDEX "StorageSample_sweepAt_idx" ON "StorageSample"("sweepAt");

-- AlterTable
ALTER TABLE "FileUsage" ADD COLUMN "partSize" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "MultipartUpload" ADD COLUMN "partsListedAt" DATETIME;

-- CreateTable
CREATE TABLE "MultipartPart" (
    "uploadId" TEXT NOT NULL,
    "partNumber" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "sizeBytes" BIGINT NOT NULL,

    PRIMARY KEY ("uploadId", "partNumber"),
    CONSTRAINT "MultipartPart_uploadId_fkey" FOREIGN KEY ("uploadId") REFERENCES "MultipartUpload" ("id") ON DELETE CASCADE ON UPDATE CASCADE
) WITHOUT ROWID;

-- What the sweeper asks the store for
CREATE INDEX "MultipartUpload_partsListedAt_idx" ON "MultipartUpload"("partsListedAt") WHERE "completedParts" IS NULL AND "partsListedAt" IS NOT NULL;

-- Usage follows the parts as it follows the files
CREATE TRIGGER "MultipartPart_usage_insert" AFTER INSERT ON "MultipartPart"
BEGIN
    INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize", "partSize")
    VALUES (NEW."tenantId", 0, 0, 0, 0, NEW."sizeBytes")
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET "partSize" = "partSize" + excluded."partSize";
END;

CREATE TRIGGER "MultipartPart_usage_update" AFTER UPDATE OF "sizeBytes" ON "MultipartPart"
BEGIN
    UPDATE "FileUsage" SET "partSize" = "partSize" + NEW."sizeBytes" - OLD."sizeBytes"
    WHERE "tenantId" = NEW."tenantId" AND "shard" = 0;
END;

CREATE TRIGGER "MultipartPart_usage_delete" AFTER DELETE ON "MultipartPart"
BEGIN
    UPDATE "FileUsage" SET "partSize" = "partSize" - OLD."sizeBytes"
    WHERE "tenantId" = OLD."tenantId" AND "shard" = 0;
END;

-- AlterTable
ALTER TABLE "File" ADD COLUMN "sweepAt" DATETIME;

-- CreateTable
CREATE TABLE "FileUsage" (
    "tenantId" TEXT NOT NULL,
    "shard" INTEGER NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "billableFileSize" BIGINT NOT NULL,

    PRIMARY KEY ("tenantId", "shard")
);

-- CreateTable
CREATE TABLE "MultipartUpload" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "tenantId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "storeUploadId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "completedParts" TEXT
);

-- CreateTable
CREATE TABLE "Lease" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "holder" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "MultipartUpload_fileId_idx" ON "MultipartUpload"("fileId");

-- CreateIndex
CREATE INDEX "MultipartUpload_createdAt_idx" ON "MultipartUpload"("createdAt");

-- CreateIndex
CREATE INDEX "File_tenantId_externalReference_id_idx" ON "File"("tenantId", "externalReference", "id");

-- CreateIndex
CREATE INDEX "File_tenantId_name_idx" ON "File"("tenantId", "name");

-- CreateIndex
CREATE INDEX "File_tenantId_status_id_idx" ON "File"("tenantId", "status", "id");

-- CreateIndex
CREATE INDEX "File_sweepAt_idx" ON "File"("sweepAt");

-- What is there already
UPDATE "File" SET "sweepAt" = "expiresAt";
INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
SELECT "tenantId", 0, count(*), sum(coalesce("contentLength", 0)), sum(max(coalesce("contentLength", 0), 131072))
FROM "File" GROUP BY "tenantId";

-- Usage follows the files, in the same transaction. One writer at a time, so one shard is enough.
CREATE TRIGGER "File_usage_insert" AFTER INSERT ON "File"
BEGIN
    INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
    VALUES (
        NEW."tenantId", 0, 1, coalesce(NEW."contentLength", 0),
        CASE WHEN NEW."status" = 'expired' THEN 0 ELSE max(coalesce(NEW."contentLength", 0), 131072) END
    )
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET
        "fileCount" = "fileCount" + excluded."fileCount",
        "fileSize" = "fileSize" + excluded."fileSize",
        "billableFileSize" = "billableFileSize" + excluded."billableFileSize";
END;

CREATE TRIGGER "File_usage_update" AFTER UPDATE OF "contentLength", "status" ON "File"
WHEN OLD."contentLength" IS NOT NEW."contentLength" OR OLD."status" <> NEW."status"
BEGIN
    UPDATE "FileUsage" SET
        "fileSize" = "fileSize" + coalesce(NEW."contentLength", 0) - coalesce(OLD."contentLength", 0),
        "billableFileSize" = "billableFileSize"
            + CASE WHEN NEW."status" = 'expired' THEN 0 ELSE max(coalesce(NEW."contentLength", 0), 131072) END
            - CASE WHEN OLD."status" = 'expired' THEN 0 ELSE max(coalesce(OLD."contentLength", 0), 131072) END
    WHERE "tenantId" = NEW."tenantId" AND "shard" = 0;
END;

CREATE TRIGGER "File_usage_delete" AFTER DELETE ON "File"
BEGIN
    UPDATE "FileUsage" SET
        "fileCount" = "fileCount" - 1,
        "fileSize" = "fileSize" - coalesce(OLD."contentLength", 0),
        "billableFileSize" = "billableFileSize"
            - CASE WHEN OLD."status" = 'expired' THEN 0 ELSE max(coalesce(OLD."contentLength", 0), 131072) END
    WHERE "tenantId" = OLD."tenantId" AND "shard" = 0;
END;

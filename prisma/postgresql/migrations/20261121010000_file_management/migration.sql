-- AlterEnum
ALTER TYPE "StoredFileStatus" ADD VALUE 'expired';

-- AlterTable
ALTER TABLE "File" ADD COLUMN     "sweepAt" TIMESTAMP(3);

-- CreateTable
CREATE TABLE "FileUsage" (
    "tenantId" TEXT NOT NULL,
    "shard" INTEGER NOT NULL,
    "fileCount" BIGINT NOT NULL,
    "fileSize" BIGINT NOT NULL,
    "billableFileSize" BIGINT NOT NULL,

    CONSTRAINT "FileUsage_pkey" PRIMARY KEY ("tenantId","shard")
);

-- CreateTable
CREATE TABLE "MultipartUpload" (
    "id" TEXT NOT NULL,
    "tenantId" TEXT NOT NULL,
    "fileId" TEXT NOT NULL,
    "blobKey" TEXT NOT NULL,
    "storeUploadId" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "completedParts" TEXT,

    CONSTRAINT "MultipartUpload_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Lease" (
    "name" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Lease_pkey" PRIMARY KEY ("name")
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

-- Names are compared byte by byte, as on SQLite, so that a prefix is a range
ALTER TABLE "File" ALTER COLUMN "name" TYPE TEXT COLLATE "C";

-- What is there already
UPDATE "File" SET "sweepAt" = "expiresAt";
INSERT INTO "FileUsage" ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
SELECT "tenantId", 0, count(*), sum(coalesce("contentLength", 0)), sum(greatest(coalesce("contentLength", 0), 131072))
FROM "File" GROUP BY "tenantId";

-- Usage follows the files, in the same transaction. A connection always adds to the same shard, so two transactions of
-- many files cannot wait for each other in a circle.
CREATE FUNCTION "count_file_usage"() RETURNS trigger AS $$
DECLARE
    files BIGINT := 0;
    size BIGINT := 0;
    billable BIGINT := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        files := files + 1;
        size := size + coalesce(NEW."contentLength", 0);
        billable := billable + CASE WHEN NEW."status"::text = 'expired' THEN 0 ELSE greatest(coalesce(NEW."contentLength", 0), 131072) END;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        files := files - 1;
        size := size - coalesce(OLD."contentLength", 0);
        billable := billable - CASE WHEN OLD."status"::text = 'expired' THEN 0 ELSE greatest(coalesce(OLD."contentLength", 0), 131072) END;
    END IF;
    INSERT INTO "FileUsage" AS u ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize")
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD."tenantId" ELSE NEW."tenantId" END, pg_backend_pid() % 16, files, size, billable)
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET
        "fileCount" = u."fileCount" + excluded."fileCount",
        "fileSize" = u."fileSize" + excluded."fileSize",
        "billableFileSize" = u."billableFileSize" + excluded."billableFileSize";
    RETURN NULL;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER "File_usage_count" AFTER INSERT OR DELETE ON "File"
FOR EACH ROW EXECUTE FUNCTION "count_file_usage"();

CREATE TRIGGER "File_usage_change" AFTER UPDATE OF "contentLength", "status" ON "File"
FOR EACH ROW WHEN (OLD."contentLength" IS DISTINCT FROM NEW."contentLength" OR OLD."status" IS DISTINCT FROM NEW."status")
EXECUTE FUNCTION "count_file_usage"();

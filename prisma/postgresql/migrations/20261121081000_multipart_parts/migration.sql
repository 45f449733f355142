-- AlterTable
ALTER TABLE "FileUsage" ADD COLUMN     "partSize" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "MultipartUpload" ADD COLUMN     "partsListedAt" TIMESTAMP(3);

-- CreateTable
CREATE TABLE "MultipartPart" (
    "uploadId" TEXT NOT NULL,
    "partNumber" INTEGER NOT NULL,
    "tenantId" TEXT NOT NULL,
    "sizeBytes" BIGINT NOT NULL,

    CONSTRAINT "MultipartPart_pkey" PRIMARY KEY ("uploadId","partNumber")
);

-- AddForeignKey
ALTER TABLE "MultipartPart" ADD CONSTRAINT "MultipartPart_uploadId_fkey" FOREIGN KEY ("uploadId") REFERENCES "MultipartUpload"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the sweeper asks the store for
CREATE INDEX "MultipartUpload_partsListedAt_idx" ON "MultipartUpload"("partsListedAt") WHERE "completedParts" IS NULL AND "partsListedAt" IS NOT NULL;

-- Usage follows the parts as it follows the files
CREATE FUNCTION "count_part_usage"() RETURNS trigger AS $$
DECLARE
    size BIGINT := 0;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        size := size + NEW."sizeBytes";
    END IF;
    IF TG_OP <> 'INSERT' THEN
        size := size - OLD."sizeBytes";
    END IF;
    INSERT INTO "FileUsage" AS u ("tenantId", "shard", "fileCount", "fileSize", "billableFileSize", "partSize")
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD."tenantId" ELSE NEW."tenantId" END, pg_backend_pid() % 16, 0, 0, 0, size)
    ON CONFLICT ("tenantId", "shard") DO UPDATE SET "partSize" = u."partSize" + excluded."partSize";
    RETURN NULL;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER "MultipartPart_usage" AFTER INSERT OR DELETE OR UPDATE OF "sizeBytes" ON "MultipartPart"
FOR EACH ROW EXECUTE FUNCTION "count_part_usage"();

-- DropIndex
DROP INDEX "File_tenantId_externalReference_id_idx";

-- DropIndex
DROP INDEX "File_tenantId_name_idx";

-- AlterTable; the name is compared byte by byte, so its key is too
ALTER TABLE "File" ADD COLUMN     "externalReferenceKey" TEXT,
ADD COLUMN     "nameKey" TEXT COLLATE "C";

-- What is there already
UPDATE "File" SET "nameKey" = left("name", 500), "externalReferenceKey" = left("externalReference", 500)
WHERE "name" IS NOT NULL OR "externalReference" IS NOT NULL;

-- CreateIndex
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");

-- CreateIndex
CREATE INDEX "File_tenantId_nameKey_idx" ON "File"("tenantId", "nameKey");

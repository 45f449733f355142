-- DropIndex
DROP INDEX "File_tenantId_externalReference_id_idx";

-- DropIndex
DROP INDEX "File_tenantId_name_idx";

-- AlterTable
ALTER TABLE "File" ADD COLUMN "externalReferenceKey" TEXT;
ALTER TABLE "File" ADD COLUMN "nameKey" TEXT;

-- What is there already
UPDATE "File" SET "nameKey" = substr("name", 1, 500), "externalReferenceKey" = substr("externalReference", 1, 500)
WHERE "name" IS NOT NULL OR "externalReference" IS NOT NULL;

-- CreateIndex
CREATE INDEX "File_tenantId_externalReferenceKey_id_idx" ON "File"("tenantId", "externalReferenceKey", "id");

-- CreateIndex
CREATE INDEX "File_tenantId_nameKey_idx" ON "File"("tenantId", "nameKey");

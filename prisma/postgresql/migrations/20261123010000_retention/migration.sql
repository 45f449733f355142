-- AlterTable
ALTER TABLE "Tenant" ADD COLUMN "fileRetentionDays" INTEGER;
ALTER TABLE "Tenant" ADD COLUMN "messageRetentionDays" INTEGER;
ALTER TABLE "Tenant" ADD COLUMN "mailRetentionDays" INTEGER;

-- Files of a tenant that nothing has changed since a time
CREATE INDEX "File_tenantId_updatedAt_idx" ON "File"("tenantId", "updatedAt");
